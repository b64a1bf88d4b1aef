import type { PerMessageDeflateOptions } from 'ws';

/** Largest message that is accepted, in bytes after inflating: 64 MiB. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Unsent bytes that a peer which does not read may cause: 64 MiB. */
export const DEFAULT_MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** Pings and pongs of a peer within 10 s. */
export const DEFAULT_MAX_PINGS = 100;
/** Milliseconds that the peer has to answer our close frame. */
export const DEFAULT_CLOSE_TIMEOUT_MS = 2000;

/** No window survives a message: 300 KB less for each connection. `ws` inflates no further than `maxMessageBytes`. */
export const DEFLATE_OPTIONS: PerMessageDeflateOptions = {
  clientNoContextTakeover: true,
  serverNoContextTakeover: true,
  threshold: 1024,
};
