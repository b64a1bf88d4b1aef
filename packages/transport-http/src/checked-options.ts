import { systemClock, type AuthProvider, type Clock, type Logger } from '@mcp-fittings/client-core';
import { checkHeaders, checkServerUrl, headersOfOptions, SDK_ONLY_OPTIONS } from '@mcp-fittings/net-policy';
import { OWNED_HEADERS } from './headers/extra-headers.js';
import type { HttpNetworkOptions, HttpTransportOptions } from './options.js';
import type { ReconnectOptions } from './stream/reconnects.js';
import type { RetryLaterOptions } from './wire/retry-later.js';

/** The options with their defaults, and nothing in them that can't be used. */
export interface CheckedOptions {
  readonly url: URL;
  readonly server: string | undefined;
  /** Names in lower case; the API key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthProvider | undefined;
  readonly network: HttpNetworkOptions;
  readonly maxMessageBytes: number;
  readonly reconnect: ReconnectOptions;
  readonly retryLater: RetryLaterOptions;
  readonly farewellMs: number;
  readonly logger: Logger | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const FAREWELL_MS = 1000;
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
  const { server, apiKey } = options;
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
    reconnect: options.reconnect ?? {},
    retryLater: options.retryLater ?? {},
    farewellMs: options.farewellMs ?? FAREWELL_MS,
    logger: options.logger,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}
