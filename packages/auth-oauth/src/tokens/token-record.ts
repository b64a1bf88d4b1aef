import { randomUUID } from 'node:crypto';
import { FittingsError, isRecord, type StoredValue } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { textOf, textsOf } from '../protocol/json.js';
import { hasTokenSyntax, parseScopes } from '../protocol/token-syntax.js';

/** What is kept of a sign-in. Everything in it belongs to one resource at one authorization server. */
export interface TokenRecord {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly resource: string;
  readonly clientId: string;
  /** Where the server said that its metadata is, when it said so. */
  readonly resourceMetadata?: string | undefined;
  readonly accessToken: string;
  readonly tokenType: 'Bearer' | 'DPoP';
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch; absent when the server does not say. */
  readonly expiresAt?: number | undefined;
  /** Scopes that were granted. */
  readonly scopes: readonly string[];
  /** Scopes that were ever asked for: a step-up asks for all of them. */
  readonly requested: readonly string[];
  /** The sign-in elsewhere that the token was derived from, where that is how it came about. */
  readonly session?: string | undefined;
  /** Opaque name of the sign-in from which the token comes, through however many refreshes. */
  readonly signIn?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly obtainedAt: number;
  /** Somebody has set out to use the refresh token: their mark. */
  readonly renewing?: string | undefined;
  /** What a refresh has to know of the authorization server; kept with a refresh token only. */
  readonly metadata?: CachedMetadata | undefined;
}

/** Metadata of the authorization server that gave a token, so that another process can refresh it without discovery. */
export interface CachedMetadata {
  /** When it was read; milliseconds since the epoch. */
  readonly foundAt: number;
  /** Without `issuer` and `token_endpoint`, which the record has. */
  readonly members: StoredValue;
}

export function toStored(record: TokenRecord): StoredValue {
  return { version: 1, ...record };
}

/**
 * The record that was stored; undefined when it is none of this version, or when its token cannot stand in a header. Only
 * known members are taken over.
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
    // Empty where a sign-in has no token of this kind.
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

export interface TokenRecordOptions {
  readonly server: string;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly resource: string;
  readonly clientId: string;
  readonly resourceMetadata?: string | undefined;
  readonly requested: readonly string[];
  readonly session?: string | undefined;
  /** What is known of the authorization server, for a later refresh. */
  readonly metadata?: CachedMetadata | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What was held before: a refresh without a new refresh token keeps the old one. */
  readonly previous?: TokenRecord | undefined;
}

/** A token that claims to live longer is not believed, seconds. */
const MAX_LIFETIME_S = 365 * 24 * 3600;

/** The record that a token response makes. Throws `AUTH_FAILED` when its tokens can't be used. */
export function createTokenRecord(response: TokenEndpointResponse, context: TokenRecordOptions): TokenRecord {
  const {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: type,
    expires_in: lifetime,
    scope,
  } = response;
  const { server, issuer, tokenEndpoint, resource, clientId, resourceMetadata, requested } = context;
  const { now, previous } = context;
  if (!hasTokenSyntax(accessToken) || (refreshToken !== undefined && !hasTokenSyntax(refreshToken))) {
    throw new FittingsError('AUTH_FAILED', `${issuer} gave a token that can not be sent.`, { server });
  }
  const kept = refreshToken ?? previous?.refreshToken;
  return {
    issuer,
    tokenEndpoint,
    resource,
    clientId,
    resourceMetadata,
    accessToken,
    tokenType: type === 'dpop' ? 'DPoP' : 'Bearer',
    refreshToken: kept,
    metadata: kept === undefined ? undefined : context.metadata,
    expiresAt:
      lifetime === undefined ? undefined : now + Math.min(Math.max(lifetime, 0), MAX_LIFETIME_S) * 1000,
    // RFC 6749, section 5.1: without `scope`, what was asked for is what was granted.
    scopes: scope === undefined ? (previous?.scopes ?? requested) : parseScopes(scope),
    requested,
    session: context.session,
    signIn: previous?.signIn ?? randomUUID(),
    obtainedAt: now,
  };
}

/** Refresh so much before the end: a minute, or a tenth of the life of a token that lives shorter. */
export function refreshAt({ expiresAt, obtainedAt }: TokenRecord): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return expiresAt - Math.min(60_000, (expiresAt - obtainedAt) / 10);
}

/** Whether the token can still be sent. */
export function isAlive({ expiresAt }: TokenRecord, now: number): boolean {
  return expiresAt === undefined || now < expiresAt;
}
