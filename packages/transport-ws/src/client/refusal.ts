import {
  sanitizeText,
  type AuthChallenge,
  type ErrorCode,
  type FittingsErrorOptions,
  type Redactor,
} from '@mcp-fittings/client-core';
import { namesError, readRemoteStatus, replyExcerpt } from '@mcp-fittings/net-policy';
import type { UpgradeRefusal } from './upgrade.js';

/** The upgrade request that was refused. */
export interface RefusedRequest {
  /** As http: or https:. */
  readonly url: URL;
  /** Origin of the configured URL. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly redact: Redactor;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface StatusRow {
  readonly from: number;
  readonly to: number;
  /** The row counts only then. */
  readonly when?: 'insufficientScope';
  /** Default: what the status means over any remote transport. */
  readonly code?: ErrorCode;
  readonly hint: string;
}

const NO_WEBSOCKET = 'Check the path of the URL, and that the server speaks MCP over WebSocket.';
const SIGN_IN = 'Check the configured credentials, or sign in.';

/** What an upgrade adds to the meaning of a status. The first row that fits counts. */
// prettier-ignore
const STATUSES: readonly StatusRow[] = [
  { from: 300, to: 399, code: 'REDIRECT_REFUSED', hint: 'If you trust that address, configure it as `url`.' },
  { from: 401, to: 401, hint: SIGN_IN },
  { from: 403, to: 403, when: 'insufficientScope', hint: SIGN_IN },
  { from: 403, to: 403, hint: 'Check which Origin and Host the server accepts, and the rights of the account.' },
  { from: 200, to: 299, code: 'ENDPOINT_INCOMPATIBLE', hint: NO_WEBSOCKET },
  { from: 400, to: 400, code: 'ENDPOINT_INCOMPATIBLE', hint: NO_WEBSOCKET },
  { from: 404, to: 405, code: 'ENDPOINT_INCOMPATIBLE', hint: NO_WEBSOCKET },
  { from: 426, to: 426, code: 'ENDPOINT_INCOMPATIBLE', hint: NO_WEBSOCKET },
];

/** What to ask the `AuthProvider` about this refusal; undefined when it is not about credentials that it can mend. */
export function challengeOf(
  refusal: UpgradeRefusal,
  { url, headers }: RefusedRequest,
): AuthChallenge | undefined {
  const { status } = refusal;
  if (status !== 401 && status !== 403) return undefined;
  if (status === 403 && !wantsMoreScope(refusal)) return undefined;
  const wwwAuthenticate = refusal.header('www-authenticate');
  const dpopNonce = refusal.header('dpop-nonce');
  return { url, status, wwwAuthenticate, dpopNonce, method: 'GET', refused: headers['authorization'] };
}

/** The error that a refused upgrade means, as arguments for its constructor. */
export function meaningOfRefusal(
  refusal: UpgradeRefusal,
  request: RefusedRequest,
): readonly [ErrorCode, string, FittingsErrorOptions] {
  const { status } = refusal;
  const { header } = refusal;
  // To ask for an upgrade twice does no harm.
  const { code, retryable, retryAfterMs } = readRemoteStatus({
    status,
    header,
    safe: true,
    now: request.now,
  });
  const row = STATUSES.find(
    ({ from, to, when }) => status >= from && status <= to && (when === undefined || wantsMoreScope(refusal)),
  );
  const target =
    status >= 300 && status < 400 ? targetOf(refusal.header('location'), request.url) : undefined;
  const details = { status, url: request.origin, target, retryAfterMs };
  const message = messageOf(refusal, request, target);
  return [row?.code ?? code, message, { hint: row?.hint, retryable, details }];
}

function messageOf(
  { status, text }: UpgradeRefusal,
  request: RefusedRequest,
  target: string | undefined,
): string {
  if (target !== undefined) return `The server redirects to ${target}; the upgrade is not followed there.`;
  const answer = `The server answered the upgrade with ${status}`;
  const said = replyExcerpt(text, request.redact, 200);
  return said === '' ? `${answer}.` : `${answer}: ${said}`;
}

function wantsMoreScope({ status, header }: UpgradeRefusal): boolean {
  return status === 403 && namesError(header('www-authenticate'), 'insufficient_scope');
}

/** Where a redirect leads, without path and query, which may hold secrets. */
function targetOf(location: string | undefined, base: URL): string {
  if (location === undefined || !URL.canParse(location, base.href)) return 'an address that is no URL';
  const { protocol, host } = new URL(location, base);
  return sanitizeText(`${protocol}//${host}`, { maxLength: 200 });
}
