import {
  type ConfiguredEndpoints,
  type TokenRecord,
  discover,
  findAuthorizationServer,
} from '@mcp-fittings/auth-oauth/toolkit';
import { type AuthChallenge, FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { type HttpClientOptions, createHttpClient } from '@mcp-fittings/http-client';
import { storedToken, type StoredTokenOptions } from '../session/stored-sign-in.js';
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
  const serverUrl = new URL(options.network.url);
  await using network = createHttpClient(options.network);
  try {
    const configured = endpointsOf(options.config);
    const found = await discover({
      network,
      server,
      serverUrl,
      challenge,
      signal,
      configured,
      allowedEndpointOrigins: textsOf(options.config.oauth, 'allowedEndpointOrigins'),
      allowAddresses: options.network.allowAddresses,
    });
    const isConfigured = configured.metadataUrl !== undefined || configured.tokenUrl !== undefined;
    if (found.withoutMetadata && !isConfigured) {
      const issuer = serverUrl.origin;
      const atOrigin = await findAuthorizationServer({ network, server, issuer, signal, match: 'origin' });
      if (atOrigin === undefined) {
        const message = `${serverUrl.origin} requires credentials, but has no metadata that says where to sign in.`;
        return createResult('discovery', '', [createFinding('DISCOVERY_MISSING', message)]);
      }
    }
    return createResult('discovery', `sign-in at ${found.authorizationServer.issuer} for ${found.resource}`);
  } catch (error) {
    if (!(error instanceof FittingsError)) throw error;
    return createResult('discovery', '', [findingFromError(error).finding]);
  }
}

function textsOf(value: unknown, name: string): readonly string[] | undefined {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : undefined;
}

function endpointsOf({ oauth }: ServerConfig): ConfiguredEndpoints {
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

export interface TokenCheckOptions extends StoredTokenOptions {
  /** Says why the server rejected the request; undefined if it accepted it. */
  readonly refusal: FittingsError | undefined;
}

/** Checks the stored token: whether there is one, how old it is, and whether the server accepts it. */
export async function checkToken(options: TokenCheckOptions): Promise<CheckResult> {
  const { server, clock, refusal } = options;
  let record: TokenRecord | undefined;
  try {
    record = await storedToken(options);
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
  const { expiresAt, refreshToken } = record;
  if (expiresAt !== undefined && expiresAt <= clock.now()) {
    const ago = ageOf(clock.now() - expiresAt);
    const why = refreshToken === undefined ? 'there is no refresh token' : 'it could not be renewed';
    const message = `The token for "${server}" expired ${ago} ago, and ${why}.`;
    return createResult('token', '', [createFinding('TOKEN_EXPIRED', message, { fix, error: refusal })]);
  }
  const message = `"${server}" rejects the token that was obtained ${ageOf(clock.now() - record.obtainedAt)} ago.`;
  return createResult('token', '', [createFinding('TOKEN_REFUSED', message, { fix, error: refusal })]);
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
