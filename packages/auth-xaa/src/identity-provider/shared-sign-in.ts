import { refreshTokenGrant, TokenManager } from '@mcp-fittings/auth-oauth/toolkit';
import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { signInRequired } from '../errors.js';
import type { SubjectToken } from '../id-jag/token-exchange.js';
import type { IdentityProviderConnection } from './connection.js';
import { createHostSignIns, type HostUser } from './host-sign-ins.js';
import { signInScopes, type IdentityProviderOptions } from './options.js';
import { belongsTo, isOtherUser, nextSessionId, sessionRecord, type SessionRecord } from './session.js';

/** A token that identifies the user, to be exchanged. */
export interface Subject extends SubjectToken {
  /** Id of the sign-in that it belongs to. */
  readonly sessionId: string;
  /** The record that it is stored in; undefined for a token of the host. */
  readonly record: SessionRecord | undefined;
  /** Renews it; undefined for a token of the host. */
  readonly manager: TokenManager | undefined;
}

/**
 * The sign-in of the user at the identity provider, in one entry of the store, for every server and every process; or the
 * sign-ins of the users whom the host has signed in, each in a separate entry.
 */
export interface SharedSignIn {
  /** Id of the current sign-in; undefined when no one is signed in. */
  id(): Promise<string | undefined>;
  /**
   * Opaque version of the current sign-in, which changes with every sign-in and renewal; undefined when no one is signed in.
   * `reload` reads the store, because another process may have signed in.
   */
  version(options?: { readonly reload?: boolean }): Promise<string | undefined>;
  /** The token to exchange, renewed when it is about to expire. Rejects with `AUTH_REQUIRED`. */
  subject(server: string): Promise<Subject>;
  /**
   * Call it when the identity provider has refused a token. Resolves with another one when that may help, or with undefined when
   * the token is not the reason. Rejects with `AUTH_REQUIRED` when the sign-in has ended.
   */
  replace(refused: Subject, server: string): Promise<Subject | undefined>;
  /** Stores a new sign-in. */
  begin(response: TokenEndpointResponse): Promise<void>;
  /** Deletes the sign-in. Resolves with its record, to be revoked. */
  end(): Promise<SessionRecord | undefined>;
}

/** How long a record is used before the store is read again: another process may have signed out. */
const REREAD_AFTER_MS = 60_000;
/** A token younger than this was not refused because of its age. */
const RECENT_MS = 10_000;

export function createSharedSignIn(
  connection: IdentityProviderConnection,
  options: IdentityProviderOptions,
): SharedSignIn {
  const { deps, issuer, clientId } = connection;
  const { clock, store, logger } = deps;
  let readAt = Number.NEGATIVE_INFINITY;
  let refusedToken: string | undefined;
  /** Why the identity provider refused to renew the sign-in of this package. */
  let ended: FittingsError | undefined;
  const host = createHostSignIns(connection, options);

  const manager = new TokenManager({
    server: deps.server,
    store,
    key: deps.keyOf(`xaa-sign-in\n${clientId}`),
    clock,
    logger,
    renewal: {
      possible: (held) => held?.refreshToken !== undefined,
      async run(held) {
        const { refreshToken = '', session = '', scopes = [] } = held ?? {};
        const request = await connection.request({ idToken: true });
        const response = await refreshTokenGrant(request, refreshToken, { scopes });
        const { id_token: idToken, refresh_token: rotated = refreshToken } = response;
        if (idToken !== undefined && isOtherUser(idToken, session)) throw renewedForOtherUser(issuer);
        return sessionRecord(connection, { idToken, refreshToken: rotated, session, scopes });
      },
      onRefusal: 'ask',
    },
  });

  const subjectOf = (record: SessionRecord, own: TokenManager): Subject | undefined => {
    const { accessToken: idToken, refreshToken, session: sessionId = '' } = record;
    const usesRefreshToken = idToken === '' || options.subject === 'refresh_token';
    const type = usesRefreshToken && refreshToken !== undefined ? 'refresh_token' : 'id_token';
    const token = type === 'refresh_token' ? refreshToken : idToken;
    return token === undefined || token === '' || token === refusedToken
      ? undefined
      : { token, type, sessionId, record, manager: own };
  };

  /** Drops the sign-in when the identity provider has ended it. */
  const dropIfEnded = async (before: SessionRecord | undefined, own: TokenManager): Promise<void> => {
    const after = await own.current();
    if (before?.refreshToken !== undefined && after !== undefined && after.refreshToken === undefined) {
      await own.drop();
    }
  };

  const current = async (): Promise<Subject | undefined> => {
    const before = await manager.current();
    const record = await manager.usable();
    if (record !== undefined) return subjectOf(record, manager);
    ended = manager.refusal;
    await dropIfEnded(before, manager);
    return undefined;
  };

  /** The sign-in of this package is used when the host does not name a user, or names the same one. */
  const isOurs = (record: SessionRecord | undefined, user: HostUser | undefined): boolean =>
    record !== undefined && (user === undefined || belongsTo(record.session, user.account));

  const fromHost = async (user: HostUser, server: string): Promise<Subject | undefined> => {
    const { subjectToken } = user;
    if (subjectToken.token === refusedToken) return undefined;
    if (subjectToken.type !== 'saml2') {
      return {
        ...subjectToken,
        sessionId: await host.sessionIdOf(user),
        record: undefined,
        manager: undefined,
      };
    }
    const record = await host.fromSaml(user, server);
    return record && subjectOf(record, host.managerOf(user.account));
  };

  const subject = async (server: string): Promise<Subject> => {
    const user = await host.user(server);
    const ours = isOurs(await manager.current(), user) ? await current() : undefined;
    const found = ours ?? (user && (await fromHost(user, server)));
    if (found === undefined) throw signInRequired(server, issuer, { cause: ended });
    return found;
  };

  return {
    async id() {
      const isOld = clock.now() - readAt > REREAD_AFTER_MS;
      if (isOld) readAt = clock.now();
      const record = await (isOld ? manager.reload() : manager.current());
      const user = await host.user(deps.server);
      if (isOurs(record, user)) return record?.session;
      return user && host.sessionIdOf(user);
    },
    async version({ reload = false } = {}) {
      const record = await (reload ? manager.reload() : manager.current());
      if (reload) readAt = clock.now();
      const user = await host.user(deps.server);
      if (isOurs(record, user)) return `${record?.session ?? ''} ${record?.obtainedAt}`;
      return user && host.sessionIdOf(user);
    },
    subject,
    async replace({ token, type, record, manager: own }, server) {
      if (record === undefined || own === undefined || clock.now() - record.obtainedAt < RECENT_MS)
        return undefined;
      let cause: FittingsError | undefined;
      // A refresh token is exchanged when there is no ID token; a renewal may return one.
      const canRenew = type === 'id_token' || record.accessToken === '';
      if (canRenew && record.refreshToken !== undefined) {
        if ((await own.renew(record)) === 'fresh') return subject(server);
        cause = own.refusal;
        await dropIfEnded(record, own);
      }
      refusedToken = token;
      throw signInRequired(server, issuer, { cause });
    },
    async begin({ id_token: idToken, refresh_token: refreshToken, scope }) {
      const previous = await manager.reload();
      const session = nextSessionId(idToken, previous?.session);
      // RFC 6749, section 5.1: without `scope`, the requested scopes were granted.
      const scopes = scope?.split(' ') ?? signInScopes(options);
      await manager.keep(sessionRecord(connection, { idToken, refreshToken, session, scopes }));
      refusedToken = undefined;
      ended = undefined;
    },
    async end() {
      // A host whose callback fails must not prevent the sign-out.
      const user = await host.user(deps.server).catch(() => undefined);
      const record = await manager.reload();
      const isTheirs = user !== undefined && !isOurs(record, user);
      const ofHost = user && (await host.end(user.account));
      refusedToken = undefined;
      ended = undefined;
      // The sign-in of this package belongs to another user, so it stays.
      if (isTheirs) return ofHost;
      await manager.drop();
      return record ?? ofHost;
    },
  };
}

/** Whether there is a token to exchange without asking the user. */
export async function isSignedIn(shared: SharedSignIn, server: string): Promise<boolean> {
  try {
    await shared.subject(server);
    return true;
  } catch (error) {
    if (error instanceof AuthRequiredError) return false;
    throw error;
  }
}

/** Treated like a revoked refresh token: for this user, it is one. */
function renewedForOtherUser(issuer: string): FittingsError {
  return new FittingsError(
    'AUTH_FAILED',
    `The identity provider ${issuer} renewed the sign-in with an ID token of another user.`,
    {
      details: { status: 400, oauthError: 'invalid_grant' },
    },
  );
}
