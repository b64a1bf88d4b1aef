import type { Transport, TransportSendOptions } from '@mcp-fittings/client-core';
import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';

/** The server's end of a bridge, started. */
export interface Upstream {
  readonly transport: Transport;
  /** As the transport's own, and signs in where that is needed and permitted. */
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
}

/** Makes a new connection to the server. Rejects with a `FittingsError` when there is none. */
export type OpenUpstream = () => Promise<Upstream>;
