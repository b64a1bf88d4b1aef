import { TransportError, type Clock } from '@mcp-fittings/client-core/transport';
import { isLoopbackHost } from '@mcp-fittings/remote-policy';
import type { CollectedRequest, GuardedFetchInit, HttpReply } from '../network.js';
import { nextHop } from './redirect.js';

export interface GuardedFetchDeps {
  readonly configured: URL;
  /** The configured ones, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly server: string | undefined;
  readonly clock: Clock;
  request(request: CollectedRequest): Promise<HttpReply>;
}

const MAX_BODY_BYTES = 256 * 1024;
const TIMEOUT_MS = 30_000;

/** See `Network.fetch`. The guard against private addresses itself lies where the connection is made. */
export async function guardedFetch(
  host: GuardedFetchDeps,
  target: string | URL,
  init: GuardedFetchInit,
): Promise<Response> {
  const { server } = host;
  const method = (init.method ?? 'GET').toUpperCase();
  const url = acceptable(target, method, host);
  const headers = { ...gatewayHeaders(url, method, host), ...Object.fromEntries(new Headers(init.headers)) };
  const body = init.body instanceof URLSearchParams ? init.body.toString() : (init.body ?? undefined);
  if (init.body instanceof URLSearchParams) headers['content-type'] ??= 'application/x-www-form-urlencoded';

  const { timeoutMs = TIMEOUT_MS } = init;
  const end = new AbortController();
  const giveUp = (): void => end.abort(init.signal?.reason);
  if (init.signal?.aborted === true) giveUp();
  init.signal?.addEventListener('abort', giveUp, { once: true });
  let late = false;
  const timer = host.clock.schedule(() => {
    late = true;
    end.abort();
  }, timeoutMs);
  try {
    const reply = await host.request({
      url,
      method,
      headers,
      body,
      redirect: 'never',
      maxBodyBytes: init.maxBodyBytes ?? MAX_BODY_BYTES,
      signal: end.signal,
    });
    const elsewhere = init.redirect === 'error' ? redirectOf(reply, method) : undefined;
    if (elsewhere !== undefined) throw redirectRefused(url, elsewhere, server);
    return responseOf(reply);
  } catch (cause) {
    if (!late) throw cause;
    const message = `No complete answer within ${String(timeoutMs)} ms from ${url.origin}.`;
    throw new TransportError('TIMEOUT', message, {
      server,
      delivery: 'unknown',
      details: { url: url.origin },
    });
  } finally {
    timer[Symbol.dispose]();
    init.signal?.removeEventListener('abort', giveUp);
  }
}

function acceptable(target: string | URL, method: string, { configured, server }: GuardedFetchDeps): URL {
  const refuse = (message: string, hint: string): TransportError =>
    new TransportError('POLICY_DENIED', message, { server, hint, delivery: 'not-sent' });

  const text = String(target);
  if (!URL.canParse(text))
    throw refuse('A server named a URL that is malformed.', 'Tell the owner of the server.');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw refuse(`A URL on ${url.host} holds a user name or a password.`, 'Tell the owner of the server.');
  }
  if (url.protocol === 'https:') return url;
  // What the person configured without encryption may be read from, but is sent no secret.
  const readsConfigured = url.origin === configured.origin && READING.has(method);
  if (url.protocol === 'http:' && (isLoopbackHost(url.hostname) || readsConfigured)) return url;
  throw refuse(
    `A request to ${url.protocol}//${url.host} was not made: it needs https.`,
    'Sign-in works over https only, except on this machine.',
  );
}

/**
 * A gateway before the server may want the configured headers for its metadata as well. Credentials of a client or a
 * user never meet them: what is posted goes without, and `authorization` stays with the server's own messages.
 */
function gatewayHeaders(url: URL, method: string, host: GuardedFetchDeps): Record<string, string> {
  if (url.origin !== host.configured.origin || !READING.has(method)) return {};
  const { authorization: _, ...others } = host.headers;
  return others;
}

function redirectOf(reply: HttpReply, method: string): URL | undefined {
  return nextHop(reply.status, reply.header('location'), reply.url, method)?.url;
}

function redirectRefused({ origin }: URL, target: URL, server: string | undefined): TransportError {
  const where = target.origin === origin ? 'another of its addresses' : target.origin;
  const message = `${origin} redirects to ${where}; redirects are not followed during sign-in.`;
  return new TransportError('REDIRECT_REFUSED', message, {
    server,
    delivery: 'rejected',
    hint: 'Tell the owner of the authorization server, or configure the address that it redirects to.',
    details: { url: origin, target: target.origin },
  });
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(reply: HttpReply): Response {
  const headers = new Headers([...reply.headers()]);
  // It was decoded.
  headers.delete('content-encoding');
  headers.delete('content-length');
  // A copy, because a Response wants bytes of a plain ArrayBuffer.
  const body = NO_BODY.has(reply.status) ? null : new Uint8Array(reply.body);
  return new Response(body, { status: reply.status, headers });
}
