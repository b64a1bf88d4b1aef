import { FittingsError, isRecent, type AuthChallenge } from '@mcp-fittings/client-core/auth';
import type { AuthorizationServer } from 'oauth4webapi';
import { pickMetadata } from '../discovery/authorization-server.js';
import { parseOAuthChallenge } from '../discovery/challenge.js';
import { checkMetadata, type DiscoveredServer, type DiscoverOptions } from '../discovery/discover.js';
import { isSameIssuer } from '../discovery/issuer-url.js';
import { oauthErrorCode } from '../protocol/oauth-error.js';
import type { CachedMetadata, TokenRecord } from '../tokens/token-record.js';
import type { ProviderDeps } from './provider-deps.js';

/** The result of a discovery, and when it was made. */
export interface CachedDiscovery extends DiscoveredServer {
  /** When the metadata was read, in milliseconds since the epoch. */
  readonly foundAt: number;
}

/** For this long a refused token is refreshed without a new discovery. */
const CACHED_MS = 10 * 60_000;
/** Metadata younger than this is not read again because a token request failed. */
const JUST_FOUND_MS = 1_000;

/** Metadata that a refresh needs besides `issuer` and `token_endpoint`, and that the checks of discovery look at. */
const CACHED_MEMBERS = [
  'authorization_endpoint',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
] as const;

/** Returns the metadata that is stored with a token, so that other processes can refresh it without discovery. */
export function cacheableMetadata({ authorizationServer: as, foundAt }: CachedDiscovery): CachedMetadata {
  const members = CACHED_MEMBERS.flatMap((name) => (as[name] === undefined ? [] : [[name, as[name]]]));
  return { foundAt, members: Object.fromEntries(members) };
}

/**
 * Restores a discovery from the metadata that is stored with a token, with the same checks as metadata that was just read.
 * Returns undefined if none exists, it is not acceptable, or it is too old.
 */
export function restoreDiscovery(
  record: TokenRecord,
  policy: Pick<DiscoverOptions, 'server' | 'serverUrl' | 'allowAddresses' | 'allowedEndpointOrigins'>,
  now: number,
): CachedDiscovery | undefined {
  const { metadata, issuer, tokenEndpoint, resource, resourceMetadata } = record;
  if (record.refreshToken === undefined || metadata === undefined) return undefined;
  if (!isRecent(metadata.foundAt, CACHED_MS, now)) return undefined;
  try {
    const as = pickMetadata({ ...metadata.members, token_endpoint: tokenEndpoint }, issuer);
    return {
      authorizationServer: checkMetadata(as, policy),
      resource,
      resourceMetadata,
      scopes: undefined,
      dpopRequired: record.tokenType === 'DPoP',
      issuerKnown: true,
      withoutMetadata: false,
      foundAt: metadata.foundAt,
    };
  } catch {
    // The discovery that follows reports the reason.
    return undefined;
  }
}

/**
 * Returns whether a cached discovery still holds: it is of the issuer of this token, not too old, and the challenge does
 * not contradict it.
 */
export function isStillValid(
  known: CachedDiscovery,
  record: TokenRecord | undefined,
  challenge: AuthChallenge,
  now: number,
): boolean {
  const { resourceMetadata = known.resourceMetadata, dpopOnly } = parseOAuthChallenge(challenge);
  return (
    isSameIssuer(known.authorizationServer.issuer, record?.issuer) &&
    resourceMetadata === known.resourceMetadata &&
    (!dpopOnly || known.dpopRequired) &&
    isRecent(known.foundAt, CACHED_MS, now)
  );
}

/**
 * Sends a token request to the cached authorization server. If that fails as if the server had moved, discovery runs and, if
 * it finds something else, the request is sent once more.
 */
export async function withCachedDiscovery<T>(
  provider: ProviderDeps,
  record: TokenRecord | undefined,
  request: (server: CachedDiscovery) => Promise<T>,
): Promise<T> {
  const known = provider.cached(record);
  if (known === undefined) return request(await provider.discover({ record }));
  try {
    return await request(known);
  } catch (error) {
    if (isRecent(known.foundAt, JUST_FOUND_MS, provider.clock.now()) || !mayHaveMoved(error)) throw error;
    const found = await provider.discover({ record });
    if (isSame(known.authorizationServer, found.authorizationServer)) throw error;
    return request(found);
  }
}

/**
 * Returns whether the token endpoint may be elsewhere now: nothing answered, or something that is not a token endpoint or
 * does not know this client. A server error or a refused grant does not count, nor does a request that may have been
 * carried out, because a refresh token is used once.
 */
function mayHaveMoved(error: unknown): boolean {
  if (!(error instanceof FittingsError)) return false;
  if (error.delivery === 'not-sent' || error.code === 'REDIRECT_REFUSED') return true;
  const refusal = oauthErrorCode(error);
  const isOfClient = refusal === 'invalid_client' || refusal === 'unauthorized_client';
  return error.code === 'AUTH_FAILED' && (refusal === undefined || isOfClient);
}

/** Compares everything that a request to the token endpoint depends on. */
function isSame(one: AuthorizationServer, other: AuthorizationServer): boolean {
  return ['issuer', 'token_endpoint', ...CACHED_MEMBERS].every(
    (name) => JSON.stringify(one[name]) === JSON.stringify(other[name]),
  );
}
