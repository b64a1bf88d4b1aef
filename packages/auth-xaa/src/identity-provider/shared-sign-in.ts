import { digestOf, refreshTokenGrant, type TokenManager } from '@mcp-fittings/auth-oauth/toolkit';
import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { signInRequired } from '../errors.js';
import type { SubjectToken } from '../id-jag/token-exchange.js';
import type { IdentityProviderConnection } from './connection.js';
import { HostSignIns, type HostUser } from './host-sign-ins.js';
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

/** Milliseconds for which a record is used before the store is read again: another process may have signed out. */
const REREAD_AFTER_MS = 60_000;
/** A token younger than this was not refused because of its age. */
const RECENT_MS = 10_000;

/**
 * The sign-in of the user at the identity provider, in one entry of the store, for every server and every process; or the
 * sign-ins of the users whom the host has signed in, each in a separate entry.
 */
export class SharedSignIn {
  readonly #connection: IdentityProviderConnection;
  readonly #options: IdentityProviderOptions;
  readonly #host: HostSignIns;
  readonly #manager: TokenManager;
  #readAt = Number.NEGATIVE_INFINITY;
  #refusedToken: string | undefined;
  /** Error with which the identity provider refused to renew the sign-in of this package. */
  #ended: FittingsError | undefined;

  constructor(connection: IdentityProviderConnection, options: IdentityProviderOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#host = new HostSignIns(connection, options);
    this.#manager = connection.provider.createTokenManager(`xaa-sign-in\n${connection.clientId}`, {
      possible: (held) => held?.refreshToken !== undefined,
      async run(held) {
        const { refreshToken = '', session = '', scopes = [] } = held ?? {};
        const request = await connection.request({ idToken: true });
        const response = await refreshTokenGrant(request, refreshToken, { scopes });
        const { id_token: idToken, refresh_token: rotated = refreshToken } = response;
        if (idToken !== undefined && isOtherUser(idToken, session)) {
          throw renewedForOtherUser(connection.issuer);
        }
        return sessionRecord(connection, { idToken, refreshToken: rotated, session, scopes });
      },
      onRefusal: 'ask',
    });
  }

  /** Resolves with the id of the current sign-in; undefined when no one is signed in. */
  async id(): Promise<string | undefined> {
    const { server, clock } = this.#connection.provider;
    const isOld = clock.now() - this.#readAt > REREAD_AFTER_MS;
    if (isOld) this.#readAt = clock.now();
    const record = await (isOld ? this.#manager.reload() : this.#manager.current());
    const user = await this.#host.user(server);
    if (isOurs(record, user)) return record?.session;
    return user && this.#host.sessionIdOf(user);
  }

  /**
   * Resolves with an opaque version of the current sign-in, which changes with every sign-in and renewal; undefined when no one
   * is signed in. `reload` reads the store, because another process may have signed in.
   */
  async version({ reload = false }: { readonly reload?: boolean } = {}): Promise<string | undefined> {
    const { server, clock } = this.#connection.provider;
    const record = await (reload ? this.#manager.reload() : this.#manager.current());
    if (reload) this.#readAt = clock.now();
    const user = await this.#host.user(server);
    if (isOurs(record, user)) return `${record?.session ?? ''} ${record?.obtainedAt}`;
    return user && `${await this.#host.sessionIdOf(user)} ${digestOf([user.subjectToken.token])}`;
  }

  /** Resolves with the token to exchange, renewed when it is about to expire. Rejects with `AUTH_REQUIRED`. */
  async subject(server: string): Promise<Subject> {
    const user = await this.#host.user(server);
    const ours = isOurs(await this.#manager.current(), user) ? await this.#current() : undefined;
    const found = ours ?? (user && (await this.#fromHost(user, server)));
    if (found === undefined) throw signInRequired(server, this.#connection.issuer, { cause: this.#ended });
    return found;
  }

  /** As {@link subject}, but resolves with undefined instead of rejecting with `AUTH_REQUIRED`. */
  async find(server: string): Promise<Subject | undefined> {
    try {
      return await this.subject(server);
    } catch (error) {
      if (error instanceof AuthRequiredError) return undefined;
      throw error;
    }
  }

  /**
   * Call it when the identity provider has refused a token. Resolves with another one when that may help, or with undefined when
   * the token is not the reason. Rejects with `AUTH_REQUIRED` when the sign-in has ended.
   */
  async replace({ token, type, record, manager }: Subject, server: string): Promise<Subject | undefined> {
    const { issuer, provider } = this.#connection;
    const isRecent = record !== undefined && provider.clock.now() - record.obtainedAt < RECENT_MS;
    if (record === undefined || manager === undefined || isRecent) return undefined;
    let cause: FittingsError | undefined;
    // A refresh token is exchanged when there is no ID token; a renewal may return one.
    const canRenew = type === 'id_token' || record.accessToken === '';
    if (canRenew && record.refreshToken !== undefined) {
      if ((await manager.renew(record)) === 'fresh') return this.subject(server);
      cause = manager.refusal;
      await dropIfEnded(record, manager);
    }
    this.#refusedToken = token;
    throw signInRequired(server, issuer, { cause });
  }

  /** Stores a new sign-in. */
  async begin(response: TokenEndpointResponse): Promise<void> {
    const { id_token: idToken, refresh_token: refreshToken, scope } = response;
    const previous = await this.#manager.reload();
    const session = nextSessionId(idToken, previous?.session);
    // RFC 6749, section 5.1: without `scope`, the requested scopes were granted.
    const scopes = scope?.split(' ') ?? signInScopes(this.#options);
    await this.#manager.keep(sessionRecord(this.#connection, { idToken, refreshToken, session, scopes }));
    this.#refusedToken = undefined;
    this.#ended = undefined;
  }

  /** Deletes the sign-in. Resolves with its record, to be revoked. */
  async end(): Promise<SessionRecord | undefined> {
    // A host whose callback fails must not prevent the sign-out.
    const user = await this.#host.user(this.#connection.provider.server).catch(() => undefined);
    const record = await this.#manager.reload();
    const isTheirs = user !== undefined && !isOurs(record, user);
    const ofHost = user && (await this.#host.end(user.account));
    this.#refusedToken = undefined;
    this.#ended = undefined;
    // The sign-in of this package belongs to another user, so it stays.
    if (isTheirs) return ofHost;
    await this.#manager.drop();
    return record ?? ofHost;
  }

  async #current(): Promise<Subject | undefined> {
    const manager = this.#manager;
    const before = await manager.current();
    const record = await manager.usable();
    if (record !== undefined) return this.#subjectOf(record, manager);
    this.#ended = manager.refusal;
    await dropIfEnded(before, manager);
    return undefined;
  }

  async #fromHost(user: HostUser, server: string): Promise<Subject | undefined> {
    const { subjectToken } = user;
    if (subjectToken.token === this.#refusedToken) return undefined;
    if (subjectToken.type !== 'saml2') {
      const sessionId = await this.#host.sessionIdOf(user);
      return { ...subjectToken, sessionId, record: undefined, manager: undefined };
    }
    const record = await this.#host.fromSaml(user, server);
    return record && this.#subjectOf(record, this.#host.managerOf(user.account));
  }

  #subjectOf(record: SessionRecord, manager: TokenManager): Subject | undefined {
    const { accessToken: idToken, refreshToken, session: sessionId = '' } = record;
    const usesRefreshToken = idToken === '' || this.#options.subject === 'refresh_token';
    const type = usesRefreshToken && refreshToken !== undefined ? 'refresh_token' : 'id_token';
    const token = type === 'refresh_token' ? refreshToken : idToken;
    return token === undefined || token === '' || token === this.#refusedToken
      ? undefined
      : { token, type, sessionId, record, manager };
  }
}

/** Returns whether the sign-in of this package is used: the host does not name a user, or names the same one. */
function isOurs(record: SessionRecord | undefined, user: HostUser | undefined): boolean {
  return record !== undefined && (user === undefined || belongsTo(record.session, user.account));
}

/** Drops the sign-in when the identity provider has ended it. */
async function dropIfEnded(before: SessionRecord | undefined, manager: TokenManager): Promise<void> {
  const after = await manager.current();
  if (before?.refreshToken !== undefined && after !== undefined && after.refreshToken === undefined) {
    await manager.drop();
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
