import type { RemoteOptions } from '@mcp-fittings/toolbox/refusal';
import type { HttpClientOptions } from '@mcp-fittings/http-client';

/** Options of an HTTP+SSE transport. Only `url` is required; times are in milliseconds. */
export interface SseTransportOptions extends RemoteOptions {
  /**
   * URL of the event stream: `http:` or `https:`, without user name, password and fragment; or `unix:///path/to/server.sock#/sse`, or
   * `pipe:///pipe/server#/sse` on Windows, with the path of the stream as the fragment.
   */
  readonly url: string | URL;
  /** Network options: proxy, certificate authorities, client certificate, time limits, sockets, name resolution. */
  readonly network?:
    Omit<HttpClientOptions, 'url' | 'server' | 'headers' | 'maxBodyBytes' | 'clock' | 'logger'> | undefined;
  /** Time from `start()` until the server has sent its endpoint, including sign-in; then `start()` rejects with `TIMEOUT`. Default 30 000. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * Ends the connection with `TIMEOUT` when no message has been sent or received for this time; comments that keep the stream alive
   * do not count. `network.timeouts.bodyIdleMs` detects a server that sends nothing at all. Default 0, which never ends it.
   */
  readonly idleMs?: number | undefined;
}
