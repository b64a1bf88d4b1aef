import { isSameIssuer, refreshTokenGrant, type TokenManager } from '@mcp-fittings/auth-oauth/toolkit';
import { randomUUID } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { exchangeSamlForRefreshToken, type SubjectToken } from '../id-jag/token-exchange.js';
import { readJwt } from '../jwt.js';
import type { IdentityProviderConnection } from './connection.js';
import type { IdentityProviderOptions } from './options.js';
import { accountOfSubject, hostSessionId, sessionRecord, type SessionRecord } from './session.js';

/** A user whom the host has signed in, with the token that the host provided. */
export interface HostUser {
  readonly subjectToken: SubjectToken;
  /** Hash that identifies the user. */
  readonly account: string;
}

/** Milliseconds for which a session id is used before the store is read again: another process may have signed the user out. */
const REREAD_AFTER_MS = 60_000;
/** Number of users whose state is cached; that of others is read from the store again. */
const MAX_CACHED_USERS = 1_000;

/** The sign-ins of a host that signs users in itself: one per user, all in the store. */
export class HostSignIns {
  readonly #connection: IdentityProviderConnection;
  readonly #options: IdentityProviderOptions;
  readonly #managers = new RecentMap<string, TokenManager>(MAX_CACHED_USERS);
  readonly #sessions = new RecentMap<string, { readonly id: string; readonly readAt: number }>(
    MAX_CACHED_USERS,
  );
  readonly #exchanging = new Map<string, Promise<void>>();

  constructor(connection: IdentityProviderConnection, options: IdentityProviderOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /**
   * The user of this call. The host may serve several at once, so nothing is shared between calls. Undefined without a user,
   * or when the token has expired. Rejects with `CALLBACK_FAILED`.
   */
  async user(server: string): Promise<HostUser | undefined> {
    if (this.#options.subjectToken === undefined) return undefined;
    const subjectToken = await readSubjectToken(this.#connection, this.#options, server);
    return subjectToken && { subjectToken, account: accountOfSubject(subjectToken) };
  }

  /** Id of the sign-in of a user; it changes after a sign-out. */
  async sessionIdOf({ account }: HostUser): Promise<string> {
    const { store, clock } = this.#connection.provider;
    const known = this.#sessions.get(account);
    if (known !== undefined && clock.now() - known.readAt <= REREAD_AFTER_MS) return known.id;
    const key = this.#keyOf(account);
    const read = async (): Promise<string | undefined> => {
      const id = (await store.get(key))?.['session'];
      return typeof id === 'string' ? id : undefined;
    };
    const create = (): Promise<string> =>
      store.withLock(key, async () => {
        const existing = await read();
        if (existing !== undefined) return existing;
        const id = hostSessionId(account, randomUUID());
        await store.set(key, { version: 1, session: id });
        return id;
      });
    const id = (await read()) ?? (await create());
    this.#sessions.set(account, { id, readAt: clock.now() });
    return id;
  }

  /** The record with the refresh token that a SAML assertion was exchanged for. */
  async fromSaml(user: HostUser, server: string): Promise<SessionRecord | undefined> {
    const { account } = user;
    const manager = this.managerOf(account);
    const session = await this.sessionIdOf(user);
    const found = await manager.usable();
    if (found?.session === session) return found;
    // An assertion can be used once, so concurrent callers share the exchange.
    const running =
      this.#exchanging.get(account) ??
      this.#exchange(user, server).finally(() => this.#exchanging.delete(account));
    this.#exchanging.set(account, running);
    await running;
    return manager.usable();
  }

  /** Renews and stores the tokens of a user. */
  managerOf(account: string): TokenManager {
    const connection = this.#connection;
    const found =
      this.#managers.get(account) ??
      connection.provider.createTokenManager(`xaa-sign-in\n${connection.clientId}\n${account}`, {
        possible: (held) => held?.refreshToken !== undefined,
        async run(held) {
          const { refreshToken = '', session = '' } = held ?? {};
          const request = await connection.request({ idToken: true });
          const response = await refreshTokenGrant(request, refreshToken);
          const { id_token: idToken, refresh_token: rotated = refreshToken } = response;
          return sessionRecord(connection, { idToken, refreshToken: rotated, session });
        },
        onRefusal: 'ask',
      });
    this.#managers.set(account, found);
    return found;
  }

  /** Deletes the sign-in of a user. Resolves with its record, to be revoked. */
  async end(account: string): Promise<SessionRecord | undefined> {
    const manager = this.managerOf(account);
    const record = await manager.reload();
    await manager.drop();
    await this.#connection.provider.store.delete(this.#keyOf(account));
    this.#sessions.delete(account);
    return record;
  }

  async #exchange(user: HostUser, server: string): Promise<void> {
    const request = await this.#connection.request({ server });
    const refreshToken = await exchangeSamlForRefreshToken(request, user.subjectToken);
    const session = await this.sessionIdOf(user);
    const record = sessionRecord(this.#connection, { idToken: undefined, refreshToken, session });
    await this.managerOf(user.account).keep(record);
  }

  #keyOf(account: string): string {
    const { provider, clientId } = this.#connection;
    return provider.keyOf(`xaa-host\n${clientId}\n${account}`);
  }
}

/**
 * Calls the host for the token of the current user; undefined without one, or when it has expired. Rejects with
 * `CALLBACK_FAILED` when the host throws, or returns an ID token of another issuer or for another client.
 */
async function readSubjectToken(
  { provider: { clock }, issuer, clientId }: IdentityProviderConnection,
  { subjectToken }: IdentityProviderOptions,
  server: string,
): Promise<SubjectToken | undefined> {
  const subject = await callHost(subjectToken, server);
  if (subject?.type !== 'id_token') return subject;
  const { iss, aud: audience, exp, sub } = readJwt(subject.token)?.claims ?? {};
  const isOurs = audience === clientId || (Array.isArray(audience) && audience.includes(clientId));
  if (typeof iss !== 'string' || !isSameIssuer(iss, issuer) || !isOurs) {
    throw new FittingsError(
      'CALLBACK_FAILED',
      `The ID token that \`subjectToken\` returned was not issued by ${issuer} for this client.`,
      {
        server,
        hint: 'Return an ID token of the configured issuer with the configured client id as its audience.',
      },
    );
  }
  if (typeof sub !== 'string' || sub === '') {
    throw new FittingsError(
      'CALLBACK_FAILED',
      'The ID token that `subjectToken` returned does not identify the user.',
      {
        server,
        hint: 'Return an ID token with the claim "sub".',
      },
    );
  }
  return typeof exp === 'number' && exp * 1000 > clock.now() ? subject : undefined;
}

async function callHost(
  ask: IdentityProviderOptions['subjectToken'],
  server: string,
): Promise<SubjectToken | undefined> {
  try {
    return await ask?.();
  } catch (cause) {
    throw new FittingsError('CALLBACK_FAILED', 'The `subjectToken` callback of the host threw an error.', {
      server,
      cause,
    });
  }
}
