import { type Clock, TransportError } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { linkSignal } from '@mcp-fittings/toolbox/timing';
import type { HttpClient, HttpRequest, ResponseHead } from '../http-client.js';
import type { CollectedReply } from './collect-reply.js';
import { nextHop } from './response-head.js';

/** Options of {@link HttpClient.fetch}. */
export type GuardedFetchInit = NonNullable<Parameters<HttpClient['fetch']>[1]>;

export interface GuardedFetchDeps {
  readonly configured: URL;
  /** Configured headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly server: string | undefined;
  readonly clock: Clock;
  request(request: HttpRequest, signal: AbortSignal): Promise<CollectedReply>;
}

const MAX_BODY_BYTES = 256 * 1024;
const TIMEOUT_MS = 30_000;

/** Implements `HttpClient.fetch`. Private addresses are refused where the connection is opened. */
export async function guardedFetch(
  deps: GuardedFetchDeps,
  target: string | URL,
  init: GuardedFetchInit,
): Promise<Response> {
  const { server } = deps;
  const method = (init.method ?? 'GET').toUpperCase();
  const url = checkTarget(target, method, deps);
  const headers = { ...gatewayHeaders(url, method, deps), ...Object.fromEntries(new Headers(init.headers)) };
  const body = init.body instanceof URLSearchParams ? init.body.toString() : (init.body ?? undefined);
  if (init.body instanceof URLSearchParams) headers['content-type'] ??= 'application/x-www-form-urlencoded';

  const end = linkSignal(init.signal ?? undefined);
  let late = false;
  const timer = deps.clock.schedule(() => {
    late = true;
    end.abort();
  }, TIMEOUT_MS);
  try {
    const limits = { redirect: 'never', maxBodyBytes: MAX_BODY_BYTES } as const;
    const reply = await deps.request({ url, method, headers, body, ...limits }, end.signal);
    const elsewhere = init.redirect === 'error' ? redirectOf(reply.head, method) : undefined;
    if (elsewhere !== undefined) throw redirectRefused(url, elsewhere, server);
    return responseOf(reply);
  } catch (cause) {
    if (!late) throw cause;
    const message = `${url.origin} did not send a complete response within ${String(TIMEOUT_MS)} ms.`;
    throw new TransportError('TIMEOUT', message, {
      server,
      delivery: 'unknown',
      details: { url: url.origin },
    });
  } finally {
    timer[Symbol.dispose]();
    end[Symbol.dispose]();
  }
}

function checkTarget(target: string | URL, method: string, { configured, server }: GuardedFetchDeps): URL {
  const refuse = (message: string, hint: string): TransportError =>
    new TransportError('POLICY_DENIED', message, { server, hint, delivery: 'not-sent' });

  const text = String(target);
  if (!URL.canParse(text))
    throw refuse('A server named an invalid URL.', 'Report it to the operator of the server.');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      `A server named a URL on ${url.host} that contains a user name or password.`,
      'Report it to the operator of the server.',
    );
  }
  if (url.protocol === 'https:') return url;
  // A server that the user configured without encryption may be read from, but gets no secret.
  const readsConfigured = url.origin === configured.origin && READING.has(method);
  if (url.protocol === 'http:' && (isLoopbackHost(url.hostname) || readsConfigured)) return url;
  throw refuse(
    `A request to ${url.protocol}//${url.host} was not sent, because it is not encrypted.`,
    'Sign-in requires https:, except on this machine.',
  );
}

/**
 * A gateway in front of the server may require the configured headers for its metadata too. Requests that post credentials do not
 * get them, and `authorization` is for the messages of the server only.
 */
function gatewayHeaders(url: URL, method: string, deps: GuardedFetchDeps): Record<string, string> {
  if (url.origin !== deps.configured.origin || !READING.has(method)) return {};
  const { authorization: _, ...others } = deps.headers;
  return others;
}

function redirectOf(head: ResponseHead, method: string): URL | undefined {
  return nextHop(head.status, head.header('location'), head.url, method)?.url;
}

function redirectRefused({ origin }: URL, target: URL, server: string | undefined): TransportError {
  const where = target.origin === origin ? 'another URL of its own' : target.origin;
  const message = `${origin} redirects to ${where}; redirects are not followed during sign-in.`;
  return new TransportError('REDIRECT_REFUSED', message, {
    server,
    delivery: 'rejected',
    hint: 'Report it to the operator of the authorization server, or configure the URL that it redirects to.',
    details: { url: origin, target: target.origin },
  });
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf({ head, body: bytes }: CollectedReply): Response {
  const headers = new Headers([...head.headers()]);
  // The body is decoded already.
  headers.delete('content-encoding');
  headers.delete('content-length');
  // A copy, because a Response requires a plain ArrayBuffer.
  const body = NO_BODY.has(head.status) ? null : new Uint8Array(bytes);
  return new Response(body, { status: head.status, headers });
}
