import {
  sanitizeText,
  TransportError,
  withTimeout,
  type AuthProvider,
  type Clock,
} from '@mcp-fittings/client-core/transport';
import {
  connectionSentence,
  createCredentials,
  createLifetime,
  createRequestRedactor,
  sendWithRecovery,
  type Credentials,
  type Lifetime,
  type Refusal,
  type RefusedReply,
  type RemoteRequest,
  type RequestRedactor,
  type RetryLaterOptions,
  type TlsOptions,
} from '@mcp-fittings/remote-policy';
import { loadTls, type TlsContexts } from '@mcp-fittings/remote-policy/tls';
import type { WebSocket } from 'ws';
import { connectSocket } from '../network/connect-socket.js';
import type { OpenSocket } from '../socket/open-socket.js';
import { dialError } from './dial-error.js';
import { UPGRADE_TABLE } from './status-table.js';
import { upgrade } from './upgrade.js';
import { RESERVED_HEADERS } from './upgrade-headers.js';

export interface DialOptions extends TlsOptions {
  readonly url: URL;
  readonly server: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthProvider | undefined;
  /** `headers` hold credentials. */
  readonly hasCredentials: boolean;
  readonly retryLater: RetryLaterOptions;
  readonly protocols: readonly string[];
  readonly proxy: URL | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxMessageBytes: number;
  readonly perMessageDeflate: boolean;
  readonly connectMs: number;
  readonly headersMs: number;
  readonly closeMs: number;
  readonly clock: Clock;
}

/**
 * Opens the connection; a refusal that the `AuthProvider` or waiting can mend is dealt with, within bounds. Rejects with a
 * `TransportError`, or with what the provider rejects with.
 */
export async function dial(options: DialOptions, signal: AbortSignal): Promise<OpenSocket> {
  const { server, clock, headers, retryLater } = options;
  const url = httpUrlOf(options.url);
  const [{ WebSocket }, tls] = await Promise.all([import('ws'), loadTls(options)]);
  const credentials = createCredentials({
    url,
    provider: options.auth,
    authorization: headers['authorization'],
    configured: options.hasCredentials,
    reserved: RESERVED_HEADERS,
    server,
  });
  const redactor = createRequestRedactor(headers, url);
  const lifetime = createLifetime();
  const end = (): void => lifetime.end();
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    const attempts = new UpgradeAttempts({
      ...options,
      WebSocket,
      tls,
      signal,
      lifetime,
      credentials,
      redactor,
    });
    const recovery = { credentials, redactor, retryLater, clock, random: Math.random };
    const opened = await sendWithRecovery(attempts, recovery);
    signal.throwIfAborted();
    if (opened === undefined) throw new TransportError('TRANSPORT_CLOSED', 'The transport was closed.');
    return opened.socket;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** The URL of the upgrade request, which is plain HTTP: what signs it and what refuses it speak of http(s). */
function httpUrlOf(url: URL): URL {
  const http = new URL(url);
  http.protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
  return http;
}

interface AttemptOptions extends DialOptions {
  readonly WebSocket: typeof WebSocket;
  readonly tls: TlsContexts;
  readonly signal: AbortSignal;
  readonly lifetime: Lifetime;
  readonly credentials: Credentials;
  readonly redactor: RequestRedactor;
}

interface Upgraded {
  readonly accepted: true;
  readonly socket: OpenSocket;
}

/** The upgrade as `sendWithRecovery` needs it. Asking for it twice does no harm. */
class UpgradeAttempts implements RemoteRequest<Upgraded> {
  readonly what = 'the upgrade';
  readonly method = 'GET';
  readonly safe = true;
  readonly table = UPGRADE_TABLE;
  readonly lifetime: Lifetime;
  readonly #options: AttemptOptions;
  readonly #url: URL;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#url = httpUrlOf(options.url);
    this.lifetime = options.lifetime;
  }

  async send(signed: Readonly<Record<string, string>>): Promise<Upgraded | RefusedReply> {
    const { url, connectMs, headersMs, credentials, redactor } = this.#options;
    // The provider's headers win over configured ones of the same name.
    const headers = { ...this.#options.headers, ...signed };
    const onAnswer = (header: (name: string) => string | undefined, status: number): void =>
      credentials.observe({ status, header, url: this.#url });
    let connected = false;
    try {
      const socket = await this.#within(connectMs, false, (signal) => connectSocket(this.#options, signal));
      connected = true;
      const answer = await this.#within(headersMs, true, (signal) =>
        upgrade(socket, { ...this.#options, headers, onAnswer }, signal),
      );
      if ('webSocket' in answer) return { accepted: true, socket: { ...answer, redact: redactor.redact } };
      const { status, header, text } = answer;
      return { accepted: false, head: { status, header, url: this.#url }, text };
    } catch (cause) {
      throw dialError(cause, url, connected);
    }
  }

  /** The upgrade is not followed anywhere: another address may be of another server, and gets no credentials. */
  settle({ head }: Refusal): Promise<undefined> {
    const { status, url } = head;
    if (status < 300 || status > 399) return Promise.resolve(undefined);
    const target = targetOf(head.header('location'), url);
    const error = new TransportError(
      'REDIRECT_REFUSED',
      `${this.#options.url.origin} redirects to ${target}; the redirect was not followed.`,
      {
        delivery: 'rejected',
        hint: 'If the new place is right, configure its URL; an upgrade is not redirected.',
        details: { status, url: url.origin, target },
      },
    );
    return Promise.reject(error);
  }

  #within<T>(ms: number, started: boolean, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { url, clock, signal } = this.#options;
    const error = (): TransportError =>
      new TransportError('TIMEOUT', connectionSentence('TIMEOUT', url.origin, started), {
        delivery: started ? 'unknown' : 'not-sent',
        details: { url: url.origin, timeoutMs: ms },
      });
    return withTimeout({ ms, clock, signal, error }, work);
  }
}

/** Where a redirect leads, without path and query, which may hold secrets. */
function targetOf(location: string | undefined, base: URL): string {
  if (location === undefined || !URL.canParse(location, base.href)) return 'an address that is not a URL';
  const { protocol, host } = new URL(location, base);
  return sanitizeText(`${protocol}//${host}`, { maxLength: 200 });
}
