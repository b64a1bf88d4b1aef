import { createTokenManager, refreshTokenGrant, type TokenManager } from '@mcp-fittings/auth-oauth/toolkit';
import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.js';
import { askHost } from './host-subject.js';
import type { IdentityProviderOptions, SubjectToken } from './options.js';
import { samlToRefreshToken } from './saml.js';
import { accountOfSubject, hostSessionId, sessionRecord, type SessionRecord } from './session.js';

/** Who the host says is there now, with the proof that it gave. */
export interface HostPerson {
  readonly given: SubjectToken;
  /** Tells people apart; says nothing about them. */
  readonly account: string;
}

/** The sign-ins of a host that signs people in itself: one for each person, all in the store. */
export interface HostSignIns {
  /**
   * The person of this very call: the host may serve several at once, so nothing is remembered or shared between calls.
   * Undefined when it names nobody, or when the proof has expired. Rejects with `CALLBACK_FAILED`.
   */
  person(server: string): Promise<HostPerson | undefined>;
  /** Id of the sign-in of a person; another one after a sign-out. */
  sessionOf(person: HostPerson): Promise<string>;
  /** The refresh token that a SAML assertion was exchanged for, with what renews it. */
  fromSaml(person: HostPerson, server: string): Promise<SessionRecord | undefined>;
  keeperOf(account: string): TokenManager;
  /** Forgets the sign-in of a person; what it was, to be revoked. */
  end(account: string): Promise<SessionRecord | undefined>;
}

/** Another process may have signed the person out meanwhile. */
const READ_AGAIN_MS = 60_000;
/** Of so many people it is remembered what the store says; of the others it is read again. */
const MAX_PEOPLE = 1_000;

export function createHostSignIns(connection: Connection, options: IdentityProviderOptions): HostSignIns {
  const { context, clientId } = connection;
  const { clock, store, logger } = context;
  const keepers = new Map<string, TokenManager>();
  const sessions = new Map<string, { readonly id: string; readonly readAt: number }>();
  const exchanging = new Map<string, Promise<void>>();
  const keyOf = (account: string): string => context.keyOf(`xaa-host\n${clientId}\n${account}`);

  const keeperOf = (account: string): TokenManager => {
    const found =
      keepers.get(account) ??
      createTokenManager({
        server: context.server,
        store,
        key: context.keyOf(`xaa-sign-in\n${clientId}\n${account}`),
        clock,
        logger,
        renewal: {
          possible: (held) => held?.refreshToken !== undefined,
          async run(held) {
            const { refreshToken = '', session = '' } = held ?? {};
            const response = await refreshTokenGrant(
              await connection.request({ idToken: true }),
              refreshToken,
            );
            const { id_token: idToken, refresh_token: rotated = refreshToken } = response;
            return sessionRecord(connection, { idToken, refreshToken: rotated, session });
          },
          onRefusal: 'ask',
        },
      });
    return remember(keepers, account, found);
  };

  const sessionOf = async ({ account }: HostPerson): Promise<string> => {
    const known = sessions.get(account);
    if (known !== undefined && clock.now() - known.readAt <= READ_AGAIN_MS) return known.id;
    const key = keyOf(account);
    const read = async (): Promise<string | undefined> => {
      const id = (await store.get(key))?.['session'];
      return typeof id === 'string' ? id : undefined;
    };
    const make = (): Promise<string> =>
      store.withLock(key, async () => {
        const there = await read();
        if (there !== undefined) return there;
        const id = hostSessionId(account, randomUUID());
        await store.set(key, { version: 1, session: id });
        return id;
      });
    const id = (await read()) ?? (await make());
    remember(sessions, account, { id, readAt: clock.now() });
    return id;
  };

  const exchange = async (person: HostPerson, server: string): Promise<void> => {
    const refreshToken = await samlToRefreshToken(await connection.request({ server }), person.given);
    const session = await sessionOf(person);
    await keeperOf(person.account).keep(
      sessionRecord(connection, { idToken: undefined, refreshToken, session }),
    );
  };

  return {
    async person(server) {
      if (options.subjectToken === undefined) return undefined;
      const given = await askHost(connection, options, server);
      return given && { given, account: accountOfSubject(given) };
    },
    sessionOf,
    async fromSaml(person, server) {
      const { account } = person;
      const keeper = keeperOf(account);
      const session = await sessionOf(person);
      const found = await keeper.usable();
      if (found?.session === session) return found;
      // An assertion is good for once: those who want it at the same time share the exchange.
      const running =
        exchanging.get(account) ?? exchange(person, server).finally(() => exchanging.delete(account));
      exchanging.set(account, running);
      await running;
      return keeper.usable();
    },
    keeperOf,
    async end(account) {
      const keeper = keeperOf(account);
      const record = await keeper.reload();
      await keeper.drop();
      await store.delete(keyOf(account));
      sessions.delete(account);
      return record;
    },
  };
}

function remember<T>(map: Map<string, T>, key: string, value: T): T {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_PEOPLE && oldest !== undefined) map.delete(oldest);
  return value;
}
