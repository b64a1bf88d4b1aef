import type { AuthProvider, Clock, Logger } from '@mcp-fittings/client-core/transport';
import type { RequestInitOptions, RetryLaterOptions } from '@mcp-fittings/remote-policy';
import type { NetworkOptions } from '@mcp-fittings/http-client';

/** How the server is reached: proxy, certificate authorities, client certificate, time-outs. */
export type SseNetworkOptions = Omit<
  NetworkOptions,
  'url' | 'server' | 'headers' | 'maxBodyBytes' | 'clock' | 'logger'
>;

/** What an HTTP+SSE transport needs to know. Only `url` is required; times are milliseconds. */
export interface SseTransportOptions {
  /** Where the event stream is, http or https, without user name and fragment. */
  readonly url: string | URL;
  /** Name of the server, for error messages. */
  readonly server?: string | undefined;
  /** Sent with the stream and with every message, and to no other origin. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** As in the official SDKs. Only its `headers` are taken; where `headers` has the same name, that wins. */
  readonly requestInit?: RequestInitOptions | undefined;
  /** Short for the header `Authorization: Bearer …`. */
  readonly apiKey?: string | undefined;
  /** Signs the stream and every message; what it returns overrides `headers`. */
  readonly auth?: AuthProvider | undefined;
  readonly network?: SseNetworkOptions | undefined;
  /** From `start()` until the server has named its endpoint, sign-in included. Default 30 000. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * Ends the connection when for so long no message has come or gone; what a server sends to keep it alive does not
   * count. Default 0: never. (A peer that is silent altogether is noticed by `network.timeouts.bodyIdleMs`.)
   */
  readonly idleMs?: number | undefined;
  /** Largest message that is read, in bytes. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** What happens on 429, and on 503 with `Retry-After`, to a request that does no harm when it is carried out twice. */
  readonly retryLater?: RetryLaterOptions | undefined;
  /** Closes the transport when it is aborted; before `start()`, that rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Told of a URL that works and deserves a second look. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Source of chance in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}
