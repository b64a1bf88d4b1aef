import {
  createProviderDeps,
  createTokenManager,
  credentialIdentity,
  type TokenRecord,
} from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError, type Clock, type ServerConfig, type TokenStore } from '@mcp-fittings/client-core';
import type { CheckResult } from '../diagnosis.js';
import { findingOfError } from '../finding-of-error.js';
import { checked, finding } from '../finding.js';

export interface TokenOptions {
  readonly server: string;
  readonly url: string;
  readonly config: ServerConfig;
  /** Where the entry comes from. */
  readonly identity: string;
  readonly store: TokenStore;
  readonly clock: Clock;
  /** Why the server did not let us in; undefined when it did. */
  readonly refusal: FittingsError | undefined;
}

/** What is held of a sign-in, how old it is, and whether the server takes it. */
export async function checkToken(options: TokenOptions): Promise<CheckResult> {
  const { server, clock, refusal } = options;
  let record: TokenRecord | undefined;
  try {
    record = await heldToken(options);
  } catch (error) {
    if (!(error instanceof FittingsError)) throw error;
    const { finding: found } = findingOfError(error);
    // A server that lets us in needs nothing of what the store keeps.
    return checked('token', '', [{ ...found, severity: refusal === undefined ? 'warning' : 'error' }]);
  }
  const fix = `Sign in: fittings login ${server}`;
  if (refusal === undefined) return checked('token', summaryOf(record, clock.now()));
  if (record === undefined) {
    const message = `"${server}" requires a sign-in.`;
    return checked('token', '', [finding('SIGN_IN_REQUIRED', message, { fix, error: refusal })]);
  }
  const { expiresAt, refreshToken } = record;
  if (expiresAt !== undefined && expiresAt <= clock.now()) {
    const ago = ageOf(clock.now() - expiresAt);
    const why = refreshToken === undefined ? 'there is no refresh token' : 'it could not be renewed';
    const message = `The token for "${server}" expired ${ago} ago, and ${why}.`;
    return checked('token', '', [finding('TOKEN_EXPIRED', message, { fix, error: refusal })]);
  }
  const message = `"${server}" rejects the token that was obtained ${ageOf(clock.now() - record.obtainedAt)} ago.`;
  return checked('token', '', [finding('TOKEN_REFUSED', message, { fix, error: refusal })]);
}

/** The record as the provider keeps it; reading it renews nothing. */
export async function heldToken(options: Omit<TokenOptions, 'refusal'>): Promise<TokenRecord | undefined> {
  const { server, url, config, store, clock } = options;
  const identity = credentialIdentity({ name: server, config, identity: options.identity });
  const context = createProviderDeps({ server, url, identity, store, clock });
  const keeper = createTokenManager({
    server,
    store,
    key: context.keyOf('oauth'),
    clock,
    logger: undefined,
    renewal: {
      possible: () => false,
      run: () => Promise.reject(new FittingsError('AUTH_FAILED', 'A diagnosis renews nothing.', { server })),
      onRefusal: 'ask',
    },
  });
  return keeper.current();
}

function summaryOf(record: TokenRecord | undefined, now: number): string {
  if (record === undefined) return 'none stored, none required';
  const age = `obtained ${ageOf(now - record.obtainedAt)} ago`;
  const end = record.expiresAt === undefined ? '' : `, valid for ${ageOf(record.expiresAt - now)}`;
  return `${age}${end}${record.refreshToken === undefined ? ', not renewable' : ''}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

function ageOf(ms: number): string {
  for (const [unit, length] of UNITS) if (ms >= 2 * length) return `${Math.floor(ms / length)} ${unit}`;
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}
