import { randomUUID } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { scopesOf } from '../scopes.js';
import { isSendable } from './sendable.js';
import type { RecordedMetadata, TokenRecord } from './token-record.js';

export interface TokenContext {
  readonly server: string;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly resource: string;
  readonly clientId: string;
  readonly resourceMetadata?: string | undefined;
  readonly requested: readonly string[];
  readonly session?: string | undefined;
  /** What is known of the authorization server, for a later refresh. */
  readonly metadata?: RecordedMetadata | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What was held before: a refresh without a new refresh token keeps the old one. */
  readonly previous?: TokenRecord | undefined;
}

/** A token that claims to live longer is not believed, seconds. */
const MAX_LIFETIME_S = 365 * 24 * 3600;

/** The record that a token response makes. Throws `AUTH_FAILED` when its tokens can't be used. */
export function toRecord(response: TokenEndpointResponse, context: TokenContext): TokenRecord {
  const {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: type,
    expires_in: lifetime,
    scope,
  } = response;
  const { server, issuer, tokenEndpoint, resource, clientId, resourceMetadata, requested } = context;
  const { now, previous } = context;
  if (!isSendable(accessToken) || (refreshToken !== undefined && !isSendable(refreshToken))) {
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
    scopes: scope === undefined ? (previous?.scopes ?? requested) : scopesOf(scope),
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
