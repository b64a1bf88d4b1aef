import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import type { Access, AccessDecision } from '../contracts/access.js';
import { readForm } from './read-form.js';

/** Result of a sign-in with the form of the page. */
export type BrowserSignIn =
  | { readonly cookie: string }
  /** Nothing of the caller is known: why, for the form, and the status of the response. */
  | { readonly refused: string; readonly status: number };

type Authenticate = Access['authenticate'];

/** Proves to the {@link Access} of the gateway who a browser is, which cannot send a bearer token by itself. */
export interface BrowserAccess {
  /** Asks the access, with the token of the browser's session if the request has a cookie and not a token. */
  authenticate(request: Request, authenticate: Authenticate): Promise<AccessDecision>;
  /** Takes the token of the form, and creates a session. */
  signIn(request: Request, authenticate: Authenticate): Promise<BrowserSignIn>;
  /**
   * Ends the session of the request, and returns the cookie that removes it from the browser; `undefined` if another site asks for it.
   */
  signOut(request: Request): string | undefined;
  /** Returns whether the request has the cookie of a session. */
  hasSession(request: Request): boolean;
}

export interface BrowserAccessOptions {
  readonly clock: Clock;
  /** Sessions at once; the oldest ends for a new one. */
  readonly maxSessions: number;
  /** Longest time of a session in milliseconds. */
  readonly sessionMs: number;
}

/** A session refers to the token, so that it ends when the access no longer accepts it. */
interface Session {
  readonly authorization: string;
  readonly expiresAt: number;
}

/** Syntax of a bearer token, see RFC 6750, section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
/** Headers of the form that do not describe who sends it. */
const NOT_OF_CALLER = ['cookie', 'content-length', 'content-type', 'transfer-encoding'];

export function createBrowserAccess(options: BrowserAccessOptions): BrowserAccess {
  const { clock, maxSessions, sessionMs } = options;
  /** By the digest of their id, in the order of their creation. */
  const sessions = new Map<string, Session>();

  const keyOf = (request: Request): string | undefined => {
    const id = readCookie(request);
    return id === undefined ? undefined : digest(id);
  };
  const sessionOf = (request: Request): Session | undefined => {
    const key = keyOf(request);
    const session = key === undefined ? undefined : sessions.get(key);
    if (session === undefined || session.expiresAt > clock.now()) return session;
    if (key !== undefined) sessions.delete(key);
    return undefined;
  };
  /** Asks as if the browser had sent the token. */
  const ask = (
    request: Request,
    authorization: string,
    authenticate: Authenticate,
  ): Promise<AccessDecision> => {
    const headers = new Headers(request.headers);
    for (const name of NOT_OF_CALLER) headers.delete(name);
    headers.set('authorization', authorization);
    return authenticate(new Request(request.url, { headers }));
  };

  return {
    authenticate(request, authenticate) {
      const session = request.headers.has('authorization') ? undefined : sessionOf(request);
      return session === undefined
        ? authenticate(request)
        : ask(request, session.authorization, authenticate);
    },
    async signIn(request, authenticate) {
      if (!isSameOrigin(request)) return { refused: 'The form was sent by another site.', status: 403 };
      const token = (await readForm(request))?.get('token')?.trim() ?? '';
      if (!TOKEN.test(token)) return { refused: 'This is not a token.', status: 400 };
      const authorization = `Bearer ${token}`;
      const decision = await ask(request, authorization, authenticate);
      if ('refusal' in decision) {
        return { refused: 'The gateway does not accept this token.', status: 401 };
      }
      const now = clock.now();
      for (const [key, { expiresAt }] of sessions) {
        if (sessions.size < maxSessions && expiresAt > now) break;
        sessions.delete(key);
      }
      const id = randomBytes(32).toString('base64url');
      sessions.set(digest(id), { authorization, expiresAt: now + sessionMs });
      return { cookie: writeCookie(request, id, Math.floor(sessionMs / 1000)) };
    },
    signOut(request) {
      if (!isSameOrigin(request)) return undefined;
      const key = keyOf(request);
      if (key !== undefined) sessions.delete(key);
      return writeCookie(request, '', 0);
    },
    hasSession: (request) => sessionOf(request) !== undefined,
  };
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

function readCookie(request: Request): string | undefined {
  const name = `${cookieName(request)}=`;
  const cookies = request.headers.get('cookie')?.split(';') ?? [];
  return cookies
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(name))
    ?.slice(name.length);
}

/** A browser sends `Origin` with every form. Behind a proxy that ends TLS the scheme differs, and the host does not. */
function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  if (origin === null) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(request.url).host;
}

function digest(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
