import {
  type AuthChallenge,
  AuthRequiredError,
  type Clock,
  type FittingsError,
  type TokenStore,
} from '@mcp-fittings/client-core';
import type { ResponseHead } from '@mcp-fittings/http-client';
import { originOf } from '@mcp-fittings/toolbox/connect';
import { refusalWithoutSignIn } from '../session/sign-in-errors.js';
import { checkDiscovery, checkToken } from './check-sign-in.js';
import { type Attempt, type AttemptOptions, attemptConnection, handshakeSummary } from './connect-attempt.js';
import { findingFromError } from './error-findings.js';
import { type CheckName, type CheckResult, createResult, createFinding } from './findings.js';
import { checkNetworkPath } from './network-path.js';

export interface RemoteCheckOptions extends AttemptOptions {
  /** Finds the stored OAuth sign-in of this entry; undefined if the server does not use OAuth. */
  readonly signIn: { readonly store: TokenStore; readonly identity: string } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Checks the network path to a remote server, and then the server. */
export async function checkRemote(options: RemoteCheckOptions): Promise<readonly CheckResult[]> {
  const path = await checkNetworkPath(options);
  const { head, network } = path;
  if (network === undefined) return path.checks;

  const attempt = await attemptConnection(options);
  const { error } = attempt;
  const refused = refusalWithoutSignIn(options.server, options.config, error);
  const placed = error === undefined ? undefined : findingFromError(refused ?? error);
  const results: CheckResult[] = [...path.checks];
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
    const token = await checkToken({ ...options, ...signIn, refusal: refusalOf(error) });
    // Without valid metadata no sign-in can work, so none is suggested.
    const canSignIn = error?.code !== 'AUTH_DISCOVERY_FAILED' && discovery?.outcome !== 'failed';
    if (canSignIn || !needsSignIn(token)) results.push(token);
  } else if (placed?.check === 'token') results.push(createResult('token', '', [placed.finding]));
  if (error === undefined) results.push(createResult('handshake', handshakeSummary(attempt)));
  else if (
    placed !== undefined &&
    !results.some(({ outcome, check }) => outcome === 'failed' && check !== 'clock')
  )
    results.push(
      createResult(head === undefined ? placed.check : afterNetworkPath(placed.check), '', [placed.finding]),
    );
  return results;
}

/** Returns whether signing in fixes what is wrong with the token. */
function needsSignIn({ findings }: CheckResult): boolean {
  return findings.some(({ code }) => code !== 'STORE_UNUSABLE');
}

const COME_BACK_LATER: ReadonlySet<number> = new Set([429, 503]);

/** Reports what the status and the content type of the response mean. */
function httpResult(
  { server, config }: RemoteCheckOptions,
  attempt: Attempt,
  head: ResponseHead,
): CheckResult {
  const { error, usedFallback } = attempt;
  const origin = originOf(new URL(String(config['url'])));
  if (usedFallback) {
    const message = `"${server}" speaks HTTP+SSE (2024-11-05), not Streamable HTTP.`;
    const severity = error === undefined ? 'warning' : 'error';
    const fix = `Set "type": "sse" in its entry (now ${JSON.stringify(config.type ?? 'http')}).`;
    return createResult('http', '', [createFinding('TRANSPORT_TYPE_WRONG', message, { severity, fix })]);
  }
  if (error?.code === 'TIMEOUT' && COME_BACK_LATER.has(head.status)) {
    // The transport waits as long as the server asks for, which is longer than our timeout.
    const message = `${origin} responds with status ${head.status}.`;
    return createResult('http', '', [createFinding('RATE_LIMITED', message, { error })]);
  }
  const placed = error === undefined ? undefined : findingFromError(error);
  if (placed?.check !== 'http') {
    // The transport reports a failed handshake, but the server sent a web page.
    const isPage = placed?.check === 'handshake' && head.contentType === 'text/html';
    if (!isPage) return createResult('http', `status ${head.status} to a plain GET`);
    const message = `${origin} responds with a web page.`;
    return createResult('http', '', [createFinding('NOT_MCP', message, { error })]);
  }
  return createResult('http', '', [placed.finding]);
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

/** Assigns a failure of the network path to the handshake, because the path was checked a moment ago. */
function afterNetworkPath(check: CheckName): CheckName {
  return check === 'http' || check === 'discovery' || check === 'token' ? check : 'handshake';
}

/** Tolerated difference, about as long as tokens and signatures tolerate. Milliseconds. */
const TOLERATED_MS = 120_000;
const MINUTE_MS = 60_000;

/** Compares the clock of this machine with the server's. Returns undefined if the response has no `Date`. */
function checkClock(head: ResponseHead, clock: Clock, works: boolean): CheckResult | undefined {
  const told = Date.parse(head.header('date') ?? '');
  if (Number.isNaN(told)) return undefined;
  const difference = clock.now() - told;
  const distance = Math.abs(difference);
  if (distance <= TOLERATED_MS) return createResult('clock', `${Math.round(distance / 1000)} s apart`);
  const minutes = Math.round(distance / MINUTE_MS);
  const message = `The clock of this machine is ${minutes} minutes ${difference > 0 ? 'ahead of' : 'behind'} that of the server.`;
  return createResult('clock', '', [
    createFinding('CLOCK_WRONG', message, { severity: works ? 'warning' : 'error' }),
  ]);
}
