import type { Transport } from '@mcp-fittings/client-core/transport';
import { ChannelHalf } from './channel-half.js';
import { createChannelRoutes } from './channel-routes.js';
import type { ControlChannel } from './control-channel.js';

/** The client's end of a control channel. */
export interface ChannelClient {
  /**
   * A transport to the server of that name. Its `start` rejects with `CONNECT_FAILED` while another connection to the
   * same server is open on this channel.
   * @param options.signal Closes the connection when it is aborted, with `ABORTED`.
   */
  transport(server: string, options?: { readonly signal?: AbortSignal | undefined }): Transport;
}

/**
 * Carries connections to any number of servers over one channel. It listens to the channel while at least one of them
 * is open. Make one for each channel: two would both answer to the same names.
 */
export function createChannelClient(channel: ControlChannel): ChannelClient {
  const routes = createChannelRoutes(channel);
  return { transport: (server, { signal } = {}) => new ChannelHalf({ server, signal }, channel, routes) };
}
