import {
  AuthRequiredError,
  type AuthChallenge,
  type FittingsError,
  type TokenStore,
} from '@mcp-fittings/client-core';
import type { ResponseHead } from '@mcp-fittings/http-client';
import { attemptConnection, type Attempt, type AttemptOptions } from '../connect-attempt.js';
import type { CheckName, CheckResult } from '../diagnosis.js';
import { findingOfError } from '../finding-of-error.js';
import { checked, finding } from '../finding.js';
import { checkClock } from './clock.js';
import { checkDiscovery } from './discovery.js';
import { handshakeSummary } from './handshake.js';
import { checkToken } from './token.js';
import { checkWay } from './way.js';

export interface RemoteOptions extends AttemptOptions {
  /** Where a sign-in by OAuth is kept, and for which entry; undefined where this server has none. */
  readonly signIn: { readonly store: TokenStore; readonly identity: string } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Everything between here and a remote server, and then the server. */
export async function checkRemote(options: RemoteOptions): Promise<readonly CheckResult[]> {
  const way = await checkWay(options);
  const { head, network } = way;
  if (network === undefined) return way.checks;

  const attempt = await attemptConnection(options);
  const { error } = attempt;
  const placed = error === undefined ? undefined : findingOfError(error);
  const results: CheckResult[] = [...way.checks];
  if (head !== undefined) {
    const clock = checkClock(head, options.clock, error === undefined);
    if (clock !== undefined) results.push(clock);
    results.push(httpResult(options, attempt, head));
  }
  const { signIn } = options;
  let discovery: CheckResult | undefined;
  if (signIn !== undefined && wantsSignIn(error, head)) {
    const challenge = challengeOf(error, head);
    discovery = await checkDiscovery({ ...options, network, challenge });
    results.push(discovery);
  }
  if (signIn !== undefined && (error === undefined || error.kind === 'auth')) {
    const url = String(options.config['url']);
    const token = await checkToken({ ...options, ...signIn, url, refusal: refusalOf(error) });
    // Without its documents no sign-in can work, so that none is advised.
    const canSignIn = error?.code !== 'AUTH_DISCOVERY_FAILED' && discovery?.outcome !== 'failed';
    if (canSignIn || !needsSignIn(token)) results.push(token);
  } else if (placed?.check === 'token') results.push(checked('token', '', [placed.finding]));
  if (error === undefined) results.push(checked('handshake', handshakeSummary(attempt)));
  else if (
    placed !== undefined &&
    !results.some(({ outcome, check }) => outcome === 'failed' && check !== 'clock')
  )
    results.push(checked(head === undefined ? placed.check : afterWay(placed.check), '', [placed.finding]));
  return results;
}

/** Whether what is wrong with a token is mended by signing in. */
function needsSignIn({ findings }: CheckResult): boolean {
  return findings.some(({ code }) => code !== 'STORE_UNUSABLE');
}

const COME_BACK_LATER: ReadonlySet<number> = new Set([429, 503]);

/** What the status and the kind of the answer say; a failure elsewhere is none of HTTP. */
function httpResult({ server, config }: RemoteOptions, attempt: Attempt, head: ResponseHead): CheckResult {
  const { error, usedFallback } = attempt;
  if (usedFallback) {
    const message = `"${server}" speaks HTTP+SSE (2024-11-05), not Streamable HTTP.`;
    const severity = error === undefined ? 'warning' : 'error';
    const fix = `Set "type": "sse" in its entry (now ${JSON.stringify(config.type ?? 'http')}).`;
    return checked('http', '', [finding('TRANSPORT_TYPE_WRONG', message, { severity, fix })]);
  }
  if (error?.code === 'TIMEOUT' && COME_BACK_LATER.has(head.status)) {
    // The transport does as it is told and waits, longer than we do.
    const message = `${head.url.origin} responds with status ${head.status}.`;
    return checked('http', '', [finding('RATE_LIMITED', message, { error })]);
  }
  const placed = error === undefined ? undefined : findingOfError(error);
  if (placed?.check !== 'http') {
    // A page in place of a message breaks the handshake, whatever the transport calls it.
    const isPage = placed?.check === 'handshake' && head.contentType === 'text/html';
    if (!isPage) return checked('http', `status ${head.status} to a plain GET`);
    const message = `${head.url.origin} responds with a web page.`;
    return checked('http', '', [finding('NOT_MCP', message, { error })]);
  }
  return checked('http', '', [placed.finding]);
}

function wantsSignIn(error: FittingsError | undefined, head: ResponseHead | undefined): boolean {
  return error !== undefined && (error.kind === 'auth' || head?.status === 401);
}

function challengeOf(
  error: FittingsError | undefined,
  head: ResponseHead | undefined,
): AuthChallenge | undefined {
  if (error instanceof AuthRequiredError && error.challenge !== undefined) return error.challenge;
  if (head?.status !== 401) return undefined;
  return { url: head.url, status: 401, wwwAuthenticate: head.header('www-authenticate'), method: 'GET' };
}

function refusalOf(error: FittingsError | undefined): FittingsError | undefined {
  return error?.kind === 'auth' ? error : undefined;
}

/** The way was open a moment ago: what fails on it now fails in the handshake. */
function afterWay(check: CheckName): CheckName {
  return check === 'http' || check === 'discovery' || check === 'token' ? check : 'handshake';
}
