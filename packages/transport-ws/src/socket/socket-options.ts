import { type Clock, FittingsError } from '@mcp-fittings/client-core';

/** Options that a client and a server have in common. Times are in milliseconds. */
export interface WebSocketConnectionOptions {
  /** Pings that detect a dead peer, with times in milliseconds; `false` turns them off. Default: a ping after 30 s of silence. */
  readonly heartbeat?:
    | {
        /** Time without a byte from the peer after which a ping is sent. Default 30 000. */
        readonly intervalMs?: number | undefined;
        /** Time that the peer then has to send anything; otherwise the connection ends with `CONNECTION_LOST`. Default 30 000. */
        readonly timeoutMs?: number | undefined;
      }
    | false
    | undefined;
  /** Unsent bytes that may wait for a slow peer. Further messages are refused with `SEND_QUEUE_FULL`. Default 67 108 864 (64 MiB). */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * Pings and pongs that the peer may send within 10 seconds. More end the connection with the close code 1008 and
   * `PROTOCOL_VIOLATION`. Default 100.
   */
  readonly maxPings?: number | undefined;
  /** Time that `close()` waits for the close frame of the peer. Default 2000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Clock for all time limits. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Largest message that is accepted, in bytes after decompression: 64 MiB. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Unsent bytes that may wait for a slow peer: 64 MiB. */
export const DEFAULT_MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** Pings and pongs of a peer within 10 seconds. */
export const DEFAULT_MAX_PINGS = 100;
/** Milliseconds that `close()` waits for the close frame of the peer. */
export const DEFAULT_CLOSE_TIMEOUT_MS = 2000;

/** No compression window is kept between messages, which saves 300 KB per connection. `ws` stops decompressing at `maxMessageBytes`. */
export const DEFLATE_OPTIONS = {
  clientNoContextTakeover: true,
  serverNoContextTakeover: true,
  threshold: 1024,
};

/** `ws` stores `maxMessageBytes`, its `maxPayload`, as a signed 32-bit number and reads 0 and larger numbers as "no limit". */
const LARGEST = 2 ** 31 - 1;

/** Throws `CONFIG_INVALID` for a number that would turn a limit off or break a timer. Undefined stands for the default. */
export function checkNumbers(
  numbers: Readonly<Record<string, number | undefined>>,
  { min, server }: { readonly min: 0 | 1; readonly server?: string | undefined },
): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || (Number.isInteger(value) && value >= min && value <= LARGEST)) continue;
    throw new FittingsError('CONFIG_INVALID', `\`${name}\` is ${value}, which is out of range.`, {
      server,
      hint: `Use an integer from ${min} to ${LARGEST}.`,
    });
  }
}

/** Checks the numbers that a client and a server have in common. */
export function checkSocketNumbers(
  options: WebSocketConnectionOptions & { readonly maxMessageBytes?: number | undefined },
  server?: string,
): void {
  const { maxMessageBytes, maxQueuedBytes, maxPings, closeTimeoutMs, heartbeat = {} } = options;
  checkNumbers({ maxMessageBytes, maxQueuedBytes, maxPings, closeTimeoutMs }, { min: 1, server });
  if (heartbeat === false) return;
  const { intervalMs, timeoutMs } = heartbeat;
  checkNumbers({ 'heartbeat.intervalMs': intervalMs, 'heartbeat.timeoutMs': timeoutMs }, { min: 1, server });
}
