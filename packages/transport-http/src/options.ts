import { systemClock, type AuthProvider, type Clock, type Logger } from '@mcp-fittings/client-core/transport';
import {
  checkHeaders,
  checkServerUrl,
  headersOfOptions,
  SDK_ONLY_OPTIONS,
  type RequestInitOptions,
  type RetryLaterOptions,
} from '@mcp-fittings/remote-policy';
import type { NetworkOptions } from '@mcp-fittings/http-client';
import { OWNED_HEADERS } from './headers.js';
import type { ReconnectOptions } from './stream/reconnects.js';

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
  readonly closeTimeoutMs?: number | undefined;
  /** Closes the transport when it is aborted; before `start()`, that rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Source of chance in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The options with their defaults, and nothing in them that cannot be used. */
export interface CheckedOptions {
  readonly url: URL;
  readonly server: string | undefined;
  /** Names in lower case; the API key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthProvider | undefined;
  readonly network: HttpNetworkOptions;
  readonly maxMessageBytes: number;
  readonly reconnect: ReconnectOptions;
  /** Silence after which an event stream is given up, milliseconds; 0 for never. */
  readonly silenceMs: number;
  readonly retryLater: RetryLaterOptions;
  readonly closeTimeoutMs: number;
  readonly logger: Logger | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 1000;
const SILENCE_MS = 120_000;

const SDK_ONLY: Readonly<Record<string, string>> = {
  ...SDK_ONLY_OPTIONS,
  reconnectionOptions:
    'Pass `reconnect`: { initialMs, maxMs, maxAttempts }. Each delay is twice the one before.',
  reconnectionScheduler: 'Leave it out: `reconnect` has the delays.',
  sessionId:
    'Leave it out: a session belongs to one transport, which opens one that the server has forgotten again.',
  protocolVersion: 'Leave it out: the clients call `setProtocolVersion` themselves.',
  onInsufficientScope: 'Leave it out: `auth` decides about a 403 that asks for more scopes.',
  maxStepUpRetries: 'Leave it out: `auth` is asked about a 403 at most twice per request.',
};

/** Throws `CONFIG_INVALID` or `HEADER_INVALID`. */
export function checkOptions(options: HttpTransportOptions): CheckedOptions {
  const { server, apiKey, reconnect = {} } = options;
  const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return {
    url: checkServerUrl(options.url, { server }).url,
    server,
    headers: checkHeaders(
      { ...headersOfOptions(options, SDK_ONLY), ...authorization },
      { server, reserved: OWNED_HEADERS },
    ),
    auth: options.auth,
    network: options.network ?? {},
    maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    reconnect,
    silenceMs: reconnect.silenceMs ?? SILENCE_MS,
    retryLater: options.retryLater ?? {},
    closeTimeoutMs: options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS,
    logger: options.logger,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}
