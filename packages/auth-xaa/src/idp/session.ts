import { createHash, randomUUID } from 'node:crypto';
import type { TokenRecord } from '@mcp-fittings/auth-oauth/flows';
import { readJwt } from '../jwt.js';
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
  return previous !== undefined && accountIn(previous) === account ? previous : `${account}.${randomUUID()}`;
}

/** The ID token is of another person than the sign-in. */
export function isSomebodyElse(idToken: string, session: string | undefined): boolean {
  const account = accountIn(session ?? '');
  return account !== '' && account !== accountOf(idToken);
}

function accountIn(session: string): string {
  return session.split('.')[0] ?? '';
}

/** Not the name of the person, which is nobody's business in a token's record. */
function accountOf(idToken: string | undefined): string {
  const claims = idToken === undefined ? undefined : readJwt(idToken)?.claims;
  if (claims === undefined) return '';
  const text = JSON.stringify([claims['iss'], claims['sub']]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
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
