import type { Socket } from 'node:net';
import type { Redactor } from '@mcp-fittings/client-core/transport';
import type { WebSocket } from 'ws';

/** A WebSocket whose handshake is done, and the TCP or TLS socket under it. It is paused until its owner listens. */
export interface OpenSocket {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  /** Takes out what the peer may repeat of our secrets. Default: nothing. */
  readonly redact?: Redactor | undefined;
}
