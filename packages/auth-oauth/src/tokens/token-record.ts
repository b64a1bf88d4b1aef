import { isRecord, type StoredValue } from '@mcp-fittings/client-core';
import { textOf, textsOf } from '../discovery/documents.js';
import { isSendable } from './sendable.js';

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
  readonly metadata?: RecordedMetadata | undefined;
}

/** Metadata of the authorization server that gave a token, so that another process can refresh it without discovery. */
export interface RecordedMetadata {
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
    (accessToken !== '' && !isSendable(accessToken))
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
    refreshToken: sendableOf(textOf(value, 'refreshToken')),
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

function metadataOf(value: unknown): RecordedMetadata | undefined {
  if (!isRecord(value) || !isRecord(value['members'])) return undefined;
  const foundAt = numberOf(value['foundAt']);
  return foundAt === undefined ? undefined : { foundAt, members: value['members'] };
}

function sendableOf(token: string | undefined): string | undefined {
  return token !== undefined && isSendable(token) ? token : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
