import { createHash, randomUUID } from 'node:crypto';
import type { TokenRecord } from '@mcp-fittings/auth-oauth/toolkit';
import { readJwt } from '../jwt.js';
import type { SubjectToken } from './options.js';
import type { Connection } from './connection.js';

/**
 * The shared sign-in as it is kept: a token record like any other, so that it is renewed, locked and saved as all of them are.
 * Its `accessToken` is the ID token, empty where the identity provider gave none.
 */
export type SessionRecord = TokenRecord;

/**
 * Id of a sign-in: whose it is, and which one. The second half stays when the same person signs in again, and changes after a
 * sign-out, so that nothing that was derived before counts any more.
 */
export function sessionIdFor(idToken: string | undefined, previous: string | undefined): string {
  const account = accountOf(idToken);
  const isSame = account !== '' && previous !== undefined && accountIn(previous) === account;
  return isSame ? previous : `${account}.${randomUUID()}`;
}

/** The ID token is of another person than the sign-in. */
export function isSomebodyElse(idToken: string, session: string | undefined): boolean {
  const account = accountIn(session ?? '');
  return account !== '' && account !== accountOf(idToken);
}

/** Ends the id of a sign-in that the host vouches for. */
const HOST_MARK = 'host';

/** Id of a sign-in of a person that the host vouches for. */
export function hostSessionId(account: string, unique: string): string {
  return `${account}.${unique}.${HOST_MARK}`;
}

/**
 * Whose tokens are kept apart within one entry: the person's, where a host serves several. Empty for the one sign-in that is
 * ours.
 */
export function personOf(session: string | undefined): string {
  const [account = '', , mark] = (session ?? '').split('.');
  return mark === HOST_MARK ? account : '';
}

/** Tells people of a host apart: by issuer and subject, by the host's own id, or by the token itself. */
export function accountOfSubject({ type, token, person }: SubjectToken): string {
  if (person !== undefined && person !== '') return digestOf(['person', person]);
  return (type === 'id_token' ? accountOf(token) : '') || digestOf([type, token]);
}

/** The sign-in and the proof of the host are of the same person. */
export function isSamePerson(session: string | undefined, account: string): boolean {
  return accountIn(session ?? '') === account;
}

function accountIn(session: string): string {
  return session.split('.')[0] ?? '';
}

/** Not the name of the person, which is nobody's business in a token's record. Empty where the token does not say who it is. */
function accountOf(idToken: string | undefined): string {
  const { iss, sub } = (idToken === undefined ? undefined : readJwt(idToken)?.claims) ?? {};
  if (typeof iss !== 'string' || iss === '' || typeof sub !== 'string' || sub === '') return '';
  return digestOf([iss, sub]);
}

function digestOf(values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}

export function sessionRecord(
  { issuer, clientId, context: { clock } }: Connection,
  tokens: {
    readonly idToken: string | undefined;
    readonly refreshToken: string | undefined;
    readonly session: string;
  },
): SessionRecord {
  const { idToken, refreshToken, session } = tokens;
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
    scopes: [],
    requested: [],
    session,
    obtainedAt: clock.now(),
  };
}
