import { discoverSignIn, readStoredSignIn } from '@mcp-fittings/auth-oauth';
import {
  type AuthChallenge,
  type Clock,
  FittingsError,
  type ServerConfig,
  type TokenStore,
} from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { type HttpClientOptions, createHttpClient } from '@mcp-fittings/http-client';
import { findingFromError } from './error-findings.js';
import { type CheckResult, createResult, createFinding } from './findings.js';

export interface DiscoveryOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly network: HttpClientOptions;
  readonly challenge: AuthChallenge | undefined;
  readonly signal: AbortSignal;
}

/** Checks whether the OAuth metadata of the server exists and is consistent: resource, issuer, endpoints. */
export async function checkDiscovery(options: DiscoveryOptions): Promise<CheckResult> {
  const { server, challenge, signal } = options;
  await using network = createHttpClient(options.network);
  try {
    const { url, allowAddresses } = options.network;
    const { issuer, resource, isGuessed } = await discoverSignIn({
      url,
      network,
      server,
      challenge,
      signal,
      endpoints: endpointsOf(options.config),
      allowedEndpointOrigins: textsOf(options.config.oauth, 'allowedEndpointOrigins'),
      allowAddresses,
    });
    if (isGuessed) {
      const message = `${new URL(url).origin} requires credentials, but has no metadata that says where to sign in.`;
      return createResult('discovery', '', [createFinding('DISCOVERY_MISSING', message)]);
    }
    return createResult('discovery', `sign-in at ${issuer} for ${resource}`);
  } catch (error) {
    if (!(error instanceof FittingsError)) throw error;
    return createResult('discovery', '', [findingFromError(error).finding]);
  }
}

function textsOf(value: unknown, name: string): readonly string[] | undefined {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : undefined;
}

function endpointsOf({ oauth }: ServerConfig): Parameters<typeof discoverSignIn>[0]['endpoints'] {
  if (!isRecord(oauth)) return {};
  const text = (name: string): string | undefined => {
    const value = oauth[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    authorizationUrl: text('authorizationUrl'),
    tokenUrl: text('tokenUrl'),
    metadataUrl: text('authServerMetadataUrl'),
  };
}

export interface TokenCheckOptions {
  readonly server: string;
  readonly config: ServerConfig;
  /** Source of the entry: credentials belong to it. */
  readonly identity: string;
  readonly store: TokenStore;
  readonly clock: Clock;
  /** Error with which the server rejected the request; undefined if it accepted it. */
  readonly refusal: FittingsError | undefined;
}

/** Checks the stored token: whether there is one, how old it is, and whether the server accepts it. */
export async function checkToken(options: TokenCheckOptions): Promise<CheckResult> {
  const { server, config, identity, store, clock, refusal } = options;
  let record: StoredSignIn;
  try {
    record = await readStoredSignIn({ name: server, config, identity }, store);
  } catch (error) {
    if (!(error instanceof FittingsError)) throw error;
    const { finding: found } = findingFromError(error);
    // A server that accepted the request does not need the store.
    return createResult('token', '', [{ ...found, severity: refusal === undefined ? 'warning' : 'error' }]);
  }
  const fix = `Sign in: fittings login ${server}`;
  if (refusal === undefined) return createResult('token', summaryOf(record, clock.now()));
  if (record === undefined) {
    const message = `"${server}" requires a sign-in.`;
    return createResult('token', '', [createFinding('SIGN_IN_REQUIRED', message, { fix, error: refusal })]);
  }
  const { expiresAt, isRenewable } = record;
  if (expiresAt !== undefined && expiresAt <= clock.now()) {
    const ago = ageOf(clock.now() - expiresAt);
    const why = isRenewable ? 'it could not be renewed' : 'there is no refresh token';
    const message = `The token for "${server}" expired ${ago} ago, and ${why}.`;
    return createResult('token', '', [createFinding('TOKEN_EXPIRED', message, { fix, error: refusal })]);
  }
  const message = `"${server}" rejects the token that was obtained ${ageOf(clock.now() - record.obtainedAt)} ago.`;
  return createResult('token', '', [createFinding('TOKEN_REFUSED', message, { fix, error: refusal })]);
}

type StoredSignIn = Awaited<ReturnType<typeof readStoredSignIn>>;

function summaryOf(record: StoredSignIn, now: number): string {
  if (record === undefined) return 'none stored, none required';
  const age = `obtained ${ageOf(now - record.obtainedAt)} ago`;
  const end = record.expiresAt === undefined ? '' : `, valid for ${ageOf(record.expiresAt - now)}`;
  return `${age}${end}${record.isRenewable ? '' : ', not renewable'}`;
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
