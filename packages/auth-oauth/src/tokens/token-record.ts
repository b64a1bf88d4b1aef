import { FittingsError, type StoredValue } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { TokenEndpointResponse } from 'oauth4webapi';
import type { CachedDiscovery } from '../discovery/discover.js';
import { hasTokenSyntax, parseScopes, textOf, textsOf } from '../protocol/values.js';

/** The stored tokens of one sign-in, for one resource at one authorization server. */
export interface TokenRecord {
  /** Issuer of the authorization server that issued the tokens; they are sent to no other. */
  readonly issuer: string;
  /** Its token endpoint, at which the token is refreshed. */
  readonly tokenEndpoint: string;
  /** The resource that the token is for. @see https://www.rfc-editor.org/rfc/rfc8707.html */
  readonly resource: string;
  /** The client that the tokens were issued to, which alone can refresh and revoke them. */
  readonly clientId: string;
  /** URL of the protected resource metadata, if a challenge named one. */
  readonly resourceMetadata?: string | undefined;
  /** The access token; empty for a sign-in that has none, such as one at an identity provider. */
  readonly accessToken: string;
  /** Scheme with which the access token is sent. */
  readonly tokenType: 'Bearer' | 'DPoP';
  /** The refresh token, if the server issued one. */
  readonly refreshToken?: string | undefined;
  /** Time when the access token expires, in milliseconds since the epoch; absent if the server does not say. */
  readonly expiresAt?: number | undefined;
  /** Scopes that were granted. */
  readonly scopes: readonly string[];
  /** Scopes that were requested, now or before: a step-up requests all of them again. */
  readonly requested: readonly string[];
  /** Opaque id of the sign-in elsewhere that the token was derived from. */
  readonly session?: string | undefined;
  /** Opaque id of the sign-in; it stays the same when the token is refreshed. */
  readonly signIn?: string | undefined;
  /** Time when the token was obtained, in milliseconds since the epoch. */
  readonly obtainedAt: number;
  /** Mark of the process that has started to use the refresh token. */
  readonly renewing?: string | undefined;
  /** Metadata for a refresh without discovery; present with a refresh token only. */
  readonly metadata?: CachedMetadata | undefined;
}

/** Metadata of the authorization server, stored with a token so that another process can refresh it without discovery. */
export interface CachedMetadata {
  /** Time when the metadata was read, in milliseconds since the epoch. */
  readonly foundAt: number;
  /** The metadata without `issuer` and `token_endpoint`, which are members of the record. */
  readonly members: StoredValue;
}

export function toStored(record: TokenRecord): StoredValue {
  return { version: 1, ...record };
}

/**
 * Reads a stored record, keeping known members only. Returns undefined for another version of records, and for a token that
 * cannot be put into a header.
 */
export function fromStored(value: StoredValue | undefined): TokenRecord | undefined {
  if (value === undefined || value['version'] !== 1) return undefined;
  const issuer = textOf(value, 'issuer');
  const tokenEndpoint = textOf(value, 'tokenEndpoint');
  const resource = textOf(value, 'resource');
  const clientId = textOf(value, 'clientId');
  const accessToken = textOf(value, 'accessToken');
  if (
    issuer === undefined ||
    tokenEndpoint === undefined ||
    resource === undefined ||
    clientId === undefined ||
    accessToken === undefined ||
    // Empty for a sign-in without an access token.
    (accessToken !== '' && !hasTokenSyntax(accessToken))
  ) {
    return undefined;
  }
  return {
    issuer,
    tokenEndpoint,
    resource,
    clientId,
    resourceMetadata: textOf(value, 'resourceMetadata'),
    accessToken,
    tokenType: value['tokenType'] === 'DPoP' ? 'DPoP' : 'Bearer',
    refreshToken: validToken(textOf(value, 'refreshToken')),
    expiresAt: numberOf(value['expiresAt']),
    scopes: textsOf(value, 'scopes') ?? [],
    requested: textsOf(value, 'requested') ?? [],
    session: textOf(value, 'session'),
    signIn: textOf(value, 'signIn'),
    obtainedAt: numberOf(value['obtainedAt']) ?? 0,
    renewing: textOf(value, 'renewing'),
    metadata: metadataOf(value['metadata']),
  };
}

function metadataOf(value: unknown): CachedMetadata | undefined {
  if (!isRecord(value) || !isRecord(value['members'])) return undefined;
  const foundAt = numberOf(value['foundAt']);
  return foundAt === undefined ? undefined : { foundAt, members: value['members'] };
}

function validToken(token: string | undefined): string | undefined {
  return token !== undefined && hasTokenSyntax(token) ? token : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Members of a {@link TokenRecord} besides the token response. */
export interface TokenRecordOptions {
  /** Name of the MCP server, for messages. */
  readonly server: string;
  /** The authorization server that issued the token, and the resource that it is for. */
  readonly discovered: CachedDiscovery;
  readonly clientId: string;
  readonly requested: readonly string[];
  readonly session?: string | undefined;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
  /** The refreshed record: a response without a refresh token keeps the old one. */
  readonly previous?: TokenRecord | undefined;
}

/** A longer `expires_in` is cut to this, seconds. */
const MAX_LIFETIME_S = 365 * 24 * 3600;

/** Creates the record of a token response. Throws `AUTH_FAILED` if a token in it contains invalid characters. */
export function createTokenRecord(response: TokenEndpointResponse, options: TokenRecordOptions): TokenRecord {
  const {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: type,
    expires_in: lifetime,
    scope,
  } = response;
  const { server, discovered, clientId, requested, now, previous } = options;
  const { authorizationServer, resource, resourceMetadata } = discovered;
  const { issuer } = authorizationServer;
  if (!hasTokenSyntax(accessToken) || (refreshToken !== undefined && !hasTokenSyntax(refreshToken))) {
    throw new FittingsError('AUTH_FAILED', `${issuer} issued a token with invalid characters.`, { server });
  }
  const kept = refreshToken ?? previous?.refreshToken;
  return {
    issuer,
    tokenEndpoint: authorizationServer.token_endpoint ?? '',
    resource,
    clientId,
    resourceMetadata,
    accessToken,
    tokenType: type === 'dpop' ? 'DPoP' : 'Bearer',
    refreshToken: kept,
    metadata: kept === undefined ? undefined : metadataToStore(discovered),
    expiresAt:
      lifetime === undefined ? undefined : now + Math.min(Math.max(lifetime, 0), MAX_LIFETIME_S) * 1000,
    // RFC 6749, section 5.1: without `scope`, the requested scopes were granted.
    scopes: scope === undefined ? (previous?.scopes ?? requested) : parseScopes(scope),
    requested,
    session: options.session,
    signIn: previous?.signIn ?? crypto.randomUUID(),
    obtainedAt: now,
  };
}

/** Metadata that a refresh needs besides `issuer` and `token_endpoint`, and that the checks of discovery look at. */
export const STORED_METADATA = [
  'authorization_endpoint',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
] as const;

/** Returns the metadata that is stored with a token, so that other processes can refresh it without discovery. */
function metadataToStore({ authorizationServer: as, foundAt }: CachedDiscovery): CachedMetadata {
  const members = STORED_METADATA.flatMap((name) => (as[name] === undefined ? [] : [[name, as[name]]]));
  return { foundAt, members: Object.fromEntries(members) };
}

/** Returns when to refresh a token: a minute before it expires, or a tenth of the lifetime of a short-lived one. */
export function refreshAt({ expiresAt, obtainedAt }: TokenRecord): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return expiresAt - Math.min(60_000, (expiresAt - obtainedAt) / 10);
}

/** Returns whether the token has not expired. */
export function isAlive({ expiresAt }: TokenRecord, now: number): boolean {
  return expiresAt === undefined || now < expiresAt;
}

/** Returns the value of the `Authorization` header for a token. */
export function authorizationOf({ accessToken, tokenType }: TokenRecord): string {
  return `${tokenType} ${accessToken}`;
}
