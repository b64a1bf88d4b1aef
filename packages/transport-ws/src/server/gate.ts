import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { FittingsError } from '@mcp-fittings/client-core/transport';
import { isLoopbackHost } from '@mcp-fittings/remote-policy';
import type { Authenticate, WebSocketServerOptions } from './options.js';

/** Why an upgrade is refused. */
export interface Refusal {
  readonly status: number;
  /** For the client and the log; holds nothing that a client sent. */
  readonly reason: string;
  readonly wwwAuthenticate?: string | undefined;
}

/** Decides who may connect. */
export interface Gate {
  /** What the address and the origin of a request say; undefined when nothing speaks against it. */
  checkSource(request: IncomingMessage): Refusal | undefined;
  /** What its credentials say. */
  checkCredentials(request: IncomingMessage, signal: AbortSignal): Promise<Refusal | undefined>;
}

const SHORTEST_TOKEN = 16;

/** Throws `CONFIG_INVALID` when the options let nobody in, or anybody by mistake. */
export function createGate(options: WebSocketServerOptions): Gate {
  const origins = new Set((options.allowedOrigins ?? []).map(normalOrigin));
  const authenticate = credentialCheck(options);
  if (authenticate === undefined && origins.size === 0) {
    throw invalid(
      'Without `token`, `authenticate` and `allowedOrigins` nobody could connect.',
      'Give a `token`.',
    );
  }
  return {
    checkSource({ headers }) {
      if (!hostIsAllowed(headers.host, options.allowedHosts)) {
        return { status: 403, reason: 'The Host header is not allowed' };
      }
      const origin = headers.origin ?? headers['sec-websocket-origin'];
      if (origin === undefined) {
        return authenticate === undefined
          ? { status: 403, reason: 'The Origin header is missing' }
          : undefined;
      }
      const allowed = typeof origin === 'string' && origins.has(origin.toLowerCase());
      return allowed ? undefined : { status: 403, reason: 'The Origin is not allowed' };
    },
    async checkCredentials(request, signal) {
      const verdict = (await authenticate?.(request, signal)) ?? true;
      if (verdict === true) return undefined;
      const { status, wwwAuthenticate } =
        verdict === false ? { status: 401, wwwAuthenticate: 'Bearer' } : verdict;
      const reason =
        status === 401 ? 'The credentials are missing or wrong' : 'The credentials do not suffice';
      return { status, reason, wwwAuthenticate };
    },
  };
}

function credentialCheck({
  token,
  tokenHeader,
  authenticate,
}: WebSocketServerOptions): Authenticate | undefined {
  if (token === undefined) return authenticate;
  if (authenticate !== undefined)
    throw invalid('Both `token` and `authenticate` are given.', 'Keep one of them.');
  if (token.length < SHORTEST_TOKEN) {
    throw invalid(`The token is shorter than ${SHORTEST_TOKEN} characters.`, 'Draw it at random.');
  }
  const expected = digest(tokenHeader === undefined ? `Bearer ${token}` : token);
  const name = (tokenHeader ?? 'authorization').toLowerCase();
  return ({ headers }) => {
    const shown = headers[name];
    return typeof shown === 'string' && timingSafeEqual(digest(withScheme(shown, tokenHeader)), expected);
  };
}

/** The name of an authentication scheme has no case. @see https://www.rfc-editor.org/rfc/rfc9110#section-11.1 */
function withScheme(value: string, tokenHeader: string | undefined): string {
  return tokenHeader === undefined ? value.replace(/^bearer +/i, 'Bearer ') : value;
}

/** Of equal length, so that neither length nor content of the secret shows in the time that a comparison takes. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function hostIsAllowed(host: string | undefined, allowed: WebSocketServerOptions['allowedHosts']): boolean {
  if (allowed === 'any') return true;
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname, username, pathname } = new URL(`http://${host}`);
  if (username !== '' || pathname !== '/') return false;
  if (allowed === undefined) return isLoopbackHost(hostname);
  const lower = host.toLowerCase();
  return allowed.some((entry) => entry.toLowerCase() === lower || entry.toLowerCase() === hostname);
}

function normalOrigin(origin: string): string {
  if (origin === '*' || origin === 'null' || !URL.canParse(origin)) {
    throw invalid(
      `\`allowedOrigins\` can't hold ${JSON.stringify(origin)}.`,
      'Write each origin in full: https://host.',
    );
  }
  const url = new URL(origin);
  // Schemes that browsers do not know have no origin of their own, as `vscode-webview:`.
  return url.origin === 'null' ? origin.toLowerCase() : url.origin;
}

function invalid(message: string, hint: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', message, { hint });
}
