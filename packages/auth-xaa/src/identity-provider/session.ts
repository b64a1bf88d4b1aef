import { randomUUID } from 'node:crypto';
import { digestOf, type TokenRecord } from '@mcp-fittings/auth-oauth/toolkit';
import type { SubjectToken } from '../id-jag/token-exchange.js';
import { readJwt } from '../jwt.js';
import type { IdentityProviderConnection } from './connection.js';

/**
 * The stored form of a sign-in: a token record, so that it is renewed, locked and saved like any other. Its `accessToken` is the
 * ID token, empty when the identity provider did not return one.
 */
export type SessionRecord = TokenRecord;

/**
 * Returns the id of a sign-in: a hash of the user, and a random part. The random part stays when the same user signs in again,
 * and changes after a sign-out, so that tokens derived before it are no longer used.
 */
export function nextSessionId(idToken: string | undefined, previous: string | undefined): string {
  const account = accountOf(idToken);
  const isSame = account !== '' && previous !== undefined && accountIn(previous) === account;
  return isSame ? previous : `${account}.${randomUUID()}`;
}

/** Returns true if the ID token belongs to another user than the sign-in. */
export function isOtherUser(idToken: string, session: string | undefined): boolean {
  const account = accountIn(session ?? '');
  return account !== '' && account !== accountOf(idToken);
}

/** Suffix of the id of a sign-in of the host. */
const HOST_MARK = 'host';

/** Returns the id of a sign-in of a user whom the host has signed in. */
export function hostSessionId(account: string, unique: string): string {
  return `${account}.${unique}.${HOST_MARK}`;
}

/**
 * The user whose tokens are kept apart within one entry, when a host serves several. Empty for the sign-in of this package.
 */
export function hostAccountOf(session: string | undefined): string {
  const [account = '', , mark] = (session ?? '').split('.');
  return mark === HOST_MARK ? account : '';
}

/** Identifies a user of a host: by issuer and subject, by the host's own id, or by the token itself. */
export function accountOfSubject({ type, token, principal }: SubjectToken): string {
  if (principal !== undefined && principal !== '') return digestOf(['principal', principal]);
  return (type === 'id_token' ? accountOf(token) : '') || digestOf([type, token]);
}

/** Returns true if a sign-in belongs to this user. */
export function belongsTo(session: string | undefined, account: string): boolean {
  return accountIn(session ?? '') === account;
}

function accountIn(session: string): string {
  return session.split('.')[0] ?? '';
}

/** A hash, so that the record of a token does not reveal the user. Empty when the token does not identify the user. */
function accountOf(idToken: string | undefined): string {
  const { iss, sub } = (idToken === undefined ? undefined : readJwt(idToken)?.claims) ?? {};
  if (typeof iss !== 'string' || iss === '' || typeof sub !== 'string' || sub === '') return '';
  return digestOf([iss, sub]);
}

/** Creates the record of a sign-in. */
export function sessionRecord(
  { issuer, clientId, provider: { clock } }: IdentityProviderConnection,
  tokens: {
    readonly idToken: string | undefined;
    readonly refreshToken: string | undefined;
    readonly session: string;
    /** The scopes that were granted; empty if they are not known. */
    readonly scopes?: readonly string[];
  },
): SessionRecord {
  const { idToken, refreshToken, session, scopes = [] } = tokens;
  const exp = idToken === undefined ? undefined : readJwt(idToken)?.claims['exp'];
  return {
    issuer,
    tokenEndpoint: '',
    resource: issuer,
    clientId,
    accessToken: idToken ?? '',
    tokenType: 'Bearer',
    refreshToken,
    expiresAt: typeof exp === 'number' ? exp * 1000 : undefined,
    scopes,
    requested: [],
    session,
    obtainedAt: clock.now(),
  };
}
