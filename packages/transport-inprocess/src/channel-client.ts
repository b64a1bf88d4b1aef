import type { Transport } from '@mcp-fittings/client-core';
import { ChannelTransport, ChannelRoutes } from './channel-transport.js';
import type { ControlChannel } from './control-channel.js';

/**
 * Creates the client side of a control channel, which carries connections to any number of servers. It is subscribed to the
 * channel while at least one of them is open. Create one for each channel: two would both receive the same messages.
 *
 * @example
 * ```ts
 * const editor = createChannelClient(channel);
 * await client.connect(editor.transport('vscode'));
 * ```
 */
export function createChannelClient(channel: ControlChannel): {
  /**
   * Creates a transport to the server of that name. Its `start()` rejects with `CONNECT_FAILED` while another connection to
   * the same server is open on this channel. `options.signal` closes the connection, with `ABORTED`, when it is aborted.
   */
  transport(server: string, options?: { readonly signal?: AbortSignal | undefined }): Transport;
} {
  const routes = new ChannelRoutes(channel);
  return {
    transport: (server, { signal } = {}) => new ChannelTransport({ server, signal }, channel, routes),
  };
}
