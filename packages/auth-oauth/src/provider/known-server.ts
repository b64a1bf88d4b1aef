import { FittingsError, isRecent, type AuthChallenge } from '@mcp-fittings/client-core/auth';
import type { AuthorizationServer } from 'oauth4webapi';
import { pickMetadata } from '../discovery/authorization-server.js';
import { readChallenge } from '../discovery/challenge.js';
import { checkMetadata, type Discovered, type DiscoverOptions } from '../discovery/discover.js';
import { oauthErrorOf } from '../failures.js';
import type { RecordedMetadata, TokenRecord } from '../tokens/token-record.js';
import type { ProviderDeps } from './context.js';

/** What discovery found, and when. */
export interface KnownServer extends Discovered {
  /** Milliseconds since the epoch. */
  readonly foundAt: number;
}

/** For so long a refusal is answered by what is known, without discovery. */
const KNOWN_MS = 10 * 60_000;
/** What was found so lately is not looked up again because a request failed. */
const JUST_FOUND_MS = 1_000;

/** What a refresh needs besides `issuer` and `token_endpoint`, and what the checks of discovery look at. */
const RECORDED = [
  'authorization_endpoint',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
] as const;

export function recordedMetadata({ authorizationServer: as, foundAt }: KnownServer): RecordedMetadata {
  const members = RECORDED.flatMap((name) => (as[name] === undefined ? [] : [[name, as[name]]]));
  return { foundAt, members: Object.fromEntries(members) };
}

/**
 * What the record of a token says of its authorization server, for a refresh: checked like metadata that was just read.
 * Undefined when it says nothing, nothing acceptable, or is too old.
 */
export function recallServer(
  record: TokenRecord,
  policy: Pick<DiscoverOptions, 'server' | 'serverUrl' | 'allowAddresses' | 'allowedEndpointOrigins'>,
  now: number,
): KnownServer | undefined {
  const { metadata, issuer, tokenEndpoint, resource, resourceMetadata } = record;
  if (record.refreshToken === undefined || metadata === undefined) return undefined;
  if (!isRecent(metadata.foundAt, KNOWN_MS, now)) return undefined;
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
    // Discovery says why, if it is still so.
    return undefined;
  }
}

/** Whether what is known answers this refusal too: of this token, of no great age, and the server points nowhere else. */
export function stillHolds(
  known: KnownServer,
  record: TokenRecord | undefined,
  challenge: AuthChallenge,
  now: number,
): boolean {
  const { resourceMetadata = known.resourceMetadata, dpopOnly } = readChallenge(challenge);
  return (
    known.authorizationServer.issuer === record?.issuer &&
    resourceMetadata === known.resourceMetadata &&
    (!dpopOnly || known.dpopRequired) &&
    isRecent(known.foundAt, KNOWN_MS, now)
  );
}

/**
 * Asks for a token at the authorization server that is known. Where that fails as if the server had moved, discovery runs
 * and, if it finds something else, the request is made once more.
 */
export async function atKnownServer<T>(
  context: ProviderDeps,
  record: TokenRecord | undefined,
  request: (server: KnownServer) => Promise<T>,
): Promise<T> {
  const known = context.known(record);
  if (known === undefined) return request(await context.find({ record }));
  try {
    return await request(known);
  } catch (error) {
    if (isRecent(known.foundAt, JUST_FOUND_MS, context.clock.now()) || !mayHaveMoved(error)) throw error;
    const found = await context.find({ record });
    if (isSame(known.authorizationServer, found.authorizationServer)) throw error;
    return request(found);
  }
}

/**
 * Nothing was there, or something that is not the token endpoint or does not know this client. Not a server in trouble, nor
 * one that refuses a grant; and nothing that may have been carried out, since a refresh token is used once.
 */
function mayHaveMoved(error: unknown): boolean {
  if (!(error instanceof FittingsError)) return false;
  if (error.delivery === 'not-sent' || error.code === 'REDIRECT_REFUSED') return true;
  const refusal = oauthErrorOf(error);
  const isOfClient = refusal === 'invalid_client' || refusal === 'unauthorized_client';
  return error.code === 'AUTH_FAILED' && (refusal === undefined || isOfClient);
}

/** In all that a request to the token endpoint depends on. */
function isSame(one: AuthorizationServer, other: AuthorizationServer): boolean {
  return ['issuer', 'token_endpoint', ...RECORDED].every(
    (name) => JSON.stringify(one[name]) === JSON.stringify(other[name]),
  );
}
