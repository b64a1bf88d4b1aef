import type { Clock } from '@mcp-fittings/client-core/transport';
import type { HeartbeatOptions } from './heartbeat.js';

/** What both sides of a connection may set. */
export interface SocketOptions {
  /** Pings that find a dead peer; `false` for none. */
  readonly heartbeat?: HeartbeatOptions | false | undefined;
  /** Bytes that may wait for a peer which does not read. A further message is refused with `SEND_QUEUE_FULL`. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * Pings and pongs that the peer may send within 10 seconds. More end the connection with close code 1008 and
   * `PROTOCOL_VIOLATION`. Default 100.
   */
  readonly maxPings?: number | undefined;
  /** How long the peer has to answer our close frame, milliseconds. Default 2000. */
  readonly closeTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}
