import type { AuthProvider, Clock, Logger } from '@mcp-fittings/client-core';
import type { RequestInitOptions } from '@mcp-fittings/net-policy';
import type { NetworkOptions } from '@mcp-fittings/network';
import type { ReconnectOptions } from './stream/reconnects.js';
import type { RetryLaterOptions } from './wire/retry-later.js';

/** How the server is reached: proxy, certificate authorities, client certificate, time-outs, address guard. */
export type HttpNetworkOptions = Omit<
  NetworkOptions,
  'url' | 'server' | 'headers' | 'maxBodyBytes' | 'clock'
>;

/** What a Streamable HTTP transport needs to know. Only `url` is required. */
export interface HttpTransportOptions {
  /** The MCP endpoint, http or https, without user name and fragment. */
  readonly url: string | URL;
  /** Name of the server, for error messages. */
  readonly server?: string | undefined;
  /** Sent with every request to the endpoint's origin, and to no other. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** As in the official SDKs. Only its `headers` are taken; where `headers` has the same name, that wins. */
  readonly requestInit?: RequestInitOptions | undefined;
  /** Short for the header `Authorization: Bearer …`. */
  readonly apiKey?: string | undefined;
  /** Signs requests; what it returns overrides `headers`. */
  readonly auth?: AuthProvider | undefined;
  readonly network?: HttpNetworkOptions | undefined;
  /** Largest message that is read, in decoded bytes. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How event streams are sought after they ended. */
  readonly reconnect?: ReconnectOptions | undefined;
  /** What happens on 429, and on 503 with `Retry-After`, to a request that does no harm when it is carried out twice. */
  readonly retryLater?: RetryLaterOptions | undefined;
  /** Milliseconds that `close()` waits for the server to end the session. Default 1000; 0 does not tell it. */
  readonly farewellMs?: number | undefined;
  /** Closes the transport when it is aborted; before `start()`, that rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Source of chance in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}
