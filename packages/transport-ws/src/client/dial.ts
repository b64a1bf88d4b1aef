import type { Socket } from 'node:net';
import { type AuthProvider, type Clock, TransportError } from '@mcp-fittings/client-core';
import { connectionMessage, originOf } from '@mcp-fittings/toolbox/connect';
import {
  Credentials,
  RequestRedactor,
  createStatusTable,
  type Refusal,
  type RefusedReply,
  type RemoteRequest,
  type RetryLaterOptions,
  sendWithRecovery,
  wrongEndpointRows,
} from '@mcp-fittings/toolbox/refusal';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { createLifetime, type Lifetime, withTimeout } from '@mcp-fittings/toolbox/timing';
import { loadTls, type TlsContexts, type TlsOptions } from '@mcp-fittings/toolbox/tls';
import type { WebSocket } from 'ws';
import { connectSocket } from './connect-socket.js';
import type { OpenSocket } from '../socket/socket-transport.js';
import { dialError } from './dial-error.js';
import { upgrade } from './upgrade.js';
import { RESERVED_HEADERS } from './options.js';

/** Some statuses mean that there is no WebSocket at this URL. */
const UPGRADE_TABLE = createStatusTable(
  wrongEndpointRows(
    [[200, 299], 400, [404, 405], 426],
    'Check the path of the URL, and that the server speaks MCP over WebSocket.',
  ),
);

/** Checked options of one connection. */
export interface DialOptions extends TlsOptions {
  /** URL of the upgrade request. */
  readonly url: URL;
  /** The configured URL, which may be that of a socket. */
  readonly shown: URL;
  readonly socketPath: string | undefined;
  readonly server: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthProvider | undefined;
  /** Is true if `headers` hold credentials. */
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
 * Opens the connection. A refusal is retried, within limits, with new credentials or after a wait. Rejects with a `TransportError`, or
 * with the error of the auth provider.
 */
export async function dial(options: DialOptions, signal: AbortSignal): Promise<OpenSocket> {
  const { server, clock, headers, retryLater } = options;
  const url = httpUrlOf(options.url);
  const [{ WebSocket }, tls] = await Promise.all([import('ws'), loadTls(options)]);
  const credentials = new Credentials({
    url,
    provider: options.auth,
    authorization: headers['authorization'],
    configured: options.hasCredentials,
    reserved: RESERVED_HEADERS,
    server,
  });
  const redactor = new RequestRedactor(headers, url);
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
    // Also if it was aborted as soon as the socket was open: who called this closes the socket.
    const opened = await sendWithRecovery(attempts, recovery);
    if (opened === undefined) throw new TransportError('TRANSPORT_CLOSED', 'The transport was closed.');
    return opened.socket;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Returns the URL of the upgrade request, which is HTTP: credentials and refusals are about `http:` or `https:`. */
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

/** The upgrade request, for `sendWithRecovery`. Sending it twice is harmless. */
class UpgradeAttempts implements RemoteRequest<Upgraded> {
  readonly what = 'the upgrade request';
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
    const { shown, connectMs, headersMs, credentials, redactor } = this.#options;
    // Headers of the provider override configured ones of the same name.
    const headers = { ...this.#options.headers, ...signed };
    const onAnswer = (header: (name: string) => string | undefined, status: number): void =>
      credentials.observe({ status, header, url: this.#url });
    let socket: Socket | undefined;
    try {
      const connected = await this.#within(connectMs, false, (signal) =>
        connectSocket(this.#options, signal),
      );
      socket = connected;
      const answer = await this.#within(headersMs, true, (signal) =>
        upgrade(connected, { ...this.#options, headers, onAnswer }, signal),
      );
      if ('webSocket' in answer) return { accepted: true, socket: { ...answer, redact: redactor.redact } };
      const { status, header, text } = answer;
      return { accepted: false, head: { status, header, url: this.#url }, text };
    } catch (cause) {
      // Also if it was aborted before the upgrade began.
      socket?.destroy();
      throw dialError(cause, shown, socket !== undefined);
    }
  }

  /** A redirect is not followed, because another URL may belong to another server, which must not get the credentials. */
  settle({ head }: Refusal): Promise<undefined> {
    const { status, url } = head;
    if (status < 300 || status > 399) return Promise.resolve(undefined);
    const target = targetOf(head.header('location'), url);
    const error = new TransportError(
      'REDIRECT_REFUSED',
      `${originOf(this.#options.shown)} redirects to ${target}; the redirect was not followed.`,
      {
        delivery: 'rejected',
        hint: 'If the new URL is right, configure it; WebSocket upgrades are not redirected.',
        details: { status, url: url.origin, target },
      },
    );
    return Promise.reject(error);
  }

  #within<T>(ms: number, started: boolean, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { shown, clock, signal } = this.#options;
    const origin = originOf(shown);
    const error = (): TransportError =>
      new TransportError('TIMEOUT', connectionMessage('TIMEOUT', origin, started), {
        delivery: started ? 'unknown' : 'not-sent',
        details: { url: origin, timeoutMs: ms },
      });
    return withTimeout({ ms, clock, signal, error }, work);
  }
}

/** Target of a redirect without path and query, which may hold secrets. */
function targetOf(location: string | undefined, base: URL): string {
  if (location === undefined || !URL.canParse(location, base.href)) return 'an invalid URL';
  const { protocol, host } = new URL(location, base);
  return sanitizeText(`${protocol}//${host}`, { maxLength: 200 });
}
