import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { FittingsError } from '@mcp-fittings/client-core';
import { hostnameOf, isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { WebSocketServerOptions } from './options.js';
import type { UpgradeRefusal } from './refuse-upgrade.js';

/** Decides who may connect. */
export interface AccessControl {
  /** Checks the Host and Origin headers of a request; undefined if they are allowed. */
  checkSource(request: IncomingMessage): UpgradeRefusal | undefined;
  /** Checks the credentials of a request; undefined if they are valid. */
  checkCredentials(request: IncomingMessage, signal: AbortSignal): Promise<UpgradeRefusal | undefined>;
}

/** Checks the credentials of a request. */
type Authenticate = NonNullable<WebSocketServerOptions['authenticate']>;
type AuthenticateRefusal = Exclude<Awaited<ReturnType<Authenticate>>, boolean>;

const SHORTEST_TOKEN = 16;

/** Throws `CONFIG_INVALID` if the options refuse every client, or would accept one by mistake. */
export function createAccessControl(options: WebSocketServerOptions): AccessControl {
  const origins = new Set((options.allowedOrigins ?? []).map(normalOrigin));
  const authenticate = credentialCheck(options);
  if (authenticate === undefined && origins.size === 0) {
    throw invalid(
      'No client could connect without `token`, `authenticate` or `allowedOrigins`.',
      'Set a `token`.',
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
      if (authenticate === undefined) return undefined;
      const verdict: unknown = await authenticate(request, signal);
      if (verdict === true) return undefined;
      const { status, wwwAuthenticate } = isRefusal(verdict)
        ? verdict
        : { status: 401, wwwAuthenticate: 'Bearer' };
      const reason =
        status === 401 ? 'The credentials are missing or invalid' : 'The credentials do not grant access';
      return { status, reason, wwwAuthenticate };
    },
  };
}

/** A callback that says anything else than `true` refuses, also if it says nothing. */
function isRefusal(verdict: unknown): verdict is AuthenticateRefusal {
  return isRecord(verdict) && (verdict['status'] === 401 || verdict['status'] === 403);
}

function credentialCheck({
  token,
  tokenHeader,
  authenticate,
}: WebSocketServerOptions): Authenticate | undefined {
  if (token === undefined) return authenticate;
  if (authenticate !== undefined)
    throw invalid('`token` and `authenticate` are both set.', 'Remove one of them.');
  if (token.length < SHORTEST_TOKEN) {
    throw invalid(`The token is shorter than ${SHORTEST_TOKEN} characters.`, 'Use a long random token.');
  }
  const expected = digest(tokenHeader === undefined ? `Bearer ${token}` : token);
  const name = (tokenHeader ?? 'authorization').toLowerCase();
  return ({ headers }) => {
    const shown = headers[name];
    return typeof shown === 'string' && timingSafeEqual(digest(withScheme(shown, tokenHeader)), expected);
  };
}

/** The name of an authentication scheme is case-insensitive. @see https://www.rfc-editor.org/rfc/rfc9110#section-11.1 */
function withScheme(value: string, tokenHeader: string | undefined): string {
  return tokenHeader === undefined ? value.replace(/^bearer +/i, 'Bearer ') : value;
}

/** Digests have equal length, so the time of a comparison reveals neither length nor content of the secret. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function hostIsAllowed(host: string | undefined, allowed: WebSocketServerOptions['allowedHosts']): boolean {
  if (allowed === 'any') return true;
  const hostname = host === undefined ? undefined : hostnameOf(host);
  if (host === undefined || hostname === undefined) return false;
  if (allowed === undefined) return isLoopbackHost(hostname);
  const lower = host.toLowerCase();
  return allowed.some((entry) => entry.toLowerCase() === lower || entry.toLowerCase() === hostname);
}

function normalOrigin(origin: string): string {
  if (origin === '*' || origin === 'null' || !URL.canParse(origin)) {
    throw invalid(
      `\`allowedOrigins\` contains ${JSON.stringify(origin)}, which is not an origin.`,
      'Write each origin in full, such as https://host.',
    );
  }
  const url = new URL(origin);
  // The URL parser has no origin for schemes that it does not know, such as `vscode-webview:`.
  return url.origin === 'null' ? origin.toLowerCase() : url.origin;
}

function invalid(message: string, hint: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', message, { hint });
}
