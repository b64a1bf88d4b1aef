import type { AuthProvider, Clock, Logger } from '@mcp-fittings/client-core';
import type { RequestInitOptions } from '@mcp-fittings/toolbox/connect';
import type { Credentials, RetryLaterOptions } from '@mcp-fittings/toolbox/refusal';
import type { HttpClientOptions } from '@mcp-fittings/http-client';

/** Options of an HTTP+SSE transport. Only `url` is required; times are in milliseconds. */
export interface SseTransportOptions {
  /**
   * URL of the event stream: `http:` or `https:`, without user name, password and fragment; or `unix:///path/to/server.sock#/sse`, or
   * `pipe:///pipe/server#/sse` on Windows, with the path of the stream as the fragment.
   */
  readonly url: string | URL;
  /** Name of the server; errors have it as `server`. Default: none. */
  readonly server?: string | undefined;
  /** Headers to send with every request to the origin of `url`, and to no other. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** As in the official SDK. Only its `headers` are supported; if `headers` has the same name, that wins. Default: none. */
  readonly requestInit?: RequestInitOptions | undefined;
  /** Token to send as `Authorization: Bearer …`. Default: none. */
  readonly apiKey?: string | undefined;
  /** Signs every request and answers challenges; its headers override `headers`. Default: none. */
  readonly auth?: AuthProvider | undefined;
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
  /** Largest message that is accepted, in bytes. Default 67 108 864 (64 MiB). */
  readonly maxMessageBytes?: number | undefined;
  /** Limits how often a message that may be carried out twice without harm is sent again after a 429, or a 503 with `Retry-After`. */
  readonly retryLater?: RetryLaterOptions | undefined;
  /** Closes the transport when aborted. If it is aborted before the connection is open, `start()` rejects with `ABORTED`. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Receives warnings about the URL, such as that it is not encrypted. Default: none. */
  readonly logger?: Logger | undefined;
  /** Clock for all time limits. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of randomness in [0, 1), which spreads the waits of many clients. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Valid options with their defaults. */
export interface CheckedOptions {
  /** URL of the requests. */
  readonly url: URL;
  /** The configured URL, which may be that of a socket. */
  readonly shown: URL;
  /** Names in lower case; includes the API key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly startTimeoutMs: number;
  readonly idleMs: number;
  readonly maxMessageBytes: number;
  readonly retryLater: RetryLaterOptions;
  readonly clock: Clock;
  readonly random: () => number;
}
