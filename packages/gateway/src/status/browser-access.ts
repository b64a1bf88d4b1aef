import type { Clock } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { hashText } from '@mcp-fittings/toolbox/text';
import type { Access, AccessDecision } from '../contracts/access.js';
import { RecentValues } from '../state/recent-values.js';
import { randomSecret, readCookie } from '../sign-in/browser-cookie.js';

type Authenticate = Access['authenticate'];

/** Syntax of a bearer token, see RFC 6750, section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
/** Headers of the form that do not describe who sends it. */
const NOT_OF_CALLER = ['cookie', 'content-length', 'content-type', 'transfer-encoding'];

/** Proves to the {@link Access} of the gateway who a browser is, which cannot send a bearer token by itself. */
export class BrowserAccess {
  readonly #clock: Clock;
  readonly #sessionMs: number;
  /** Their tokens, by the digest of their id: a session ends when the access no longer accepts its token. */
  readonly #sessions: RecentValues<string>;

  /** @param maxSessions - sessions at once; the one that was unused for longest ends for a new one */
  constructor(clock: Clock, maxSessions: number, sessionMs: number) {
    this.#clock = clock;
    this.#sessions = new RecentValues(maxSessions, clock);
    this.#sessionMs = sessionMs;
  }

  /** Asks the access, with the token of the browser's session if the request has a cookie and not a token. */
  authenticate(request: Request, authenticate: Authenticate): Promise<AccessDecision> {
    const token = request.headers.has('authorization') ? undefined : this.#tokenOf(request);
    return token === undefined ? authenticate(request) : ask(request, token, authenticate);
  }

  /** Takes the token of the form, and creates a session. Returns the reason for the form if nothing of the caller is known. */
  async signIn(
    request: Request,
    authenticate: Authenticate,
  ): Promise<{ readonly cookie: string } | { readonly refused: string; readonly status: number }> {
    if (!isSameOrigin(request)) return { refused: 'The form was sent by another site.', status: 403 };
    const token = (await readForm(request))?.get('token')?.trim() ?? '';
    if (!TOKEN.test(token)) return { refused: 'This is not a token.', status: 400 };
    const decision = await ask(request, token, authenticate);
    if ('refusal' in decision) return { refused: 'The gateway does not accept this token.', status: 401 };
    const id = randomSecret();
    this.#sessions.set(hashText(id), token, this.#clock.now() + this.#sessionMs);
    return { cookie: writeCookie(request, id, Math.floor(this.#sessionMs / 1000)) };
  }

  /** Ends the session of the request, and returns the cookie that removes it from the browser; `undefined` if another site asks for it. */
  signOut(request: Request): string | undefined {
    if (!isSameOrigin(request)) return undefined;
    this.#sessions.take(hashText(readCookie(request, cookieName(request)) ?? ''));
    return writeCookie(request, '', 0);
  }

  /** Returns whether the request has the cookie of a session. */
  hasSession(request: Request): boolean {
    return this.#tokenOf(request) !== undefined;
  }

  #tokenOf(request: Request): string | undefined {
    return this.#sessions.get(hashText(readCookie(request, cookieName(request)) ?? ''));
  }
}

/** Asks as if the browser had sent the token. */
function ask(request: Request, token: string, authenticate: Authenticate): Promise<AccessDecision> {
  const headers = new Headers(request.headers);
  for (const name of NOT_OF_CALLER) headers.delete(name);
  headers.set('authorization', `Bearer ${token}`);
  return authenticate(new Request(request.url, { headers }));
}

/**
 * Over plain HTTP on loopback the cookie cannot be `Secure`. Everywhere else it is, so that a browser that does not use HTTPS drops it.
 * @see https://www.rfc-editor.org/rfc/rfc6265 section 4.1.2.5
 */
function isPlainLoopback(request: Request): boolean {
  const { protocol, hostname } = new URL(request.url);
  return protocol === 'http:' && isLoopbackHost(hostname);
}

function cookieName(request: Request): string {
  return isPlainLoopback(request) ? 'mcp-gateway-status' : '__Host-mcp-gateway-status';
}

function writeCookie(request: Request, id: string, maxAgeS: number): string {
  const secure = isPlainLoopback(request) ? '' : '; Secure';
  return `${cookieName(request)}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeS}${secure}`;
}

/** A browser sends `Origin` with every form. Behind a proxy that ends TLS the scheme differs, and the host does not. */
function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  if (origin === null) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(request.url).host;
}

/** Largest form, in bytes: the longest token that a header could have, percent-encoded. */
const MAX_FORM_BYTES = 65_536;

/** Returns the fields of an HTML form, or `undefined` if the body is something else, or too long. */
async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const [type] = (request.headers.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded' || request.body === null)
    return undefined;
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_FORM_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return new URLSearchParams(text);
}
