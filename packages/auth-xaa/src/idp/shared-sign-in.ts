import { createTokenManager, refreshTokenGrant, type TokenManager } from '@mcp-fittings/auth-oauth/toolkit';
import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { signInRequired } from '../failures.js';
import type { Connection } from './connection.js';
import { createHostSignIns, type HostPerson } from './host-sign-in.js';
import type { IdentityProviderOptions, SubjectToken } from './options.js';
import { isSamePerson, isSomebodyElse, sessionIdFor, sessionRecord, type SessionRecord } from './session.js';

/** Proof of who the person is, to be exchanged. */
export interface Subject extends SubjectToken {
  /** The sign-in that it is part of. */
  readonly session: string;
  /** Where it is kept; undefined for what the host gave. */
  readonly record: SessionRecord | undefined;
  /** What renews it; undefined for what the host gave. */
  readonly keeper: TokenManager | undefined;
}

/**
 * The one sign-in of a person at the identity provider, in one entry of the store, for every server and every process; or the
 * sign-ins of those whom the host vouches for, each in an entry of their own.
 */
export interface SharedSignIn {
  /** Id of the sign-in that counts; undefined when nobody is signed in. */
  id(): Promise<string | undefined>;
  /**
   * Opaque name of the proof that there is now, which changes with every sign-in and renewal; `again`: reads the store, since
   * another process may have signed in. Undefined when nobody is signed in.
   */
  proof(options?: { readonly again?: boolean }): Promise<string | undefined>;
  /** What to show to the identity provider, renewed when it is about to end. Rejects with `AUTH_REQUIRED`. */
  subject(server: string): Promise<Subject>;
  /**
   * The identity provider refused it. Another one where that may help, undefined where it is not the subject's fault;
   * rejects with `AUTH_REQUIRED` when the sign-in is over.
   */
  replace(refused: Subject, server: string): Promise<Subject | undefined>;
  /** A person has signed in. */
  begin(response: TokenEndpointResponse): Promise<void>;
  /** Forgets it; what it was, to be revoked. */
  end(): Promise<SessionRecord | undefined>;
}

/** Somebody else may have signed out meanwhile. */
const READ_AGAIN_MS = 60_000;
/** A proof so young is not refused because of its age. */
const YOUNG_MS = 10_000;

export function createSharedSignIn(connection: Connection, options: IdentityProviderOptions): SharedSignIn {
  const { context, issuer, clientId } = connection;
  const { clock, store, logger } = context;
  let readAt = Number.NEGATIVE_INFINITY;
  let refusedToken: string | undefined;
  const host = createHostSignIns(connection, options);

  const keeper = createTokenManager({
    server: context.server,
    store,
    key: context.keyOf(`xaa-sign-in\n${clientId}`),
    clock,
    logger,
    renewal: {
      possible: (held) => held?.refreshToken !== undefined,
      async run(held) {
        const { refreshToken = '', session = '' } = held ?? {};
        const response = await refreshTokenGrant(await connection.request({ idToken: true }), refreshToken);
        const { id_token: idToken, refresh_token: rotated = refreshToken } = response;
        if (idToken !== undefined && isSomebodyElse(idToken, session)) throw somebodyElse(issuer);
        return sessionRecord(connection, { idToken, refreshToken: rotated, session });
      },
      onRefusal: 'ask',
    },
  });

  const subjectOf = (record: SessionRecord, own: TokenManager): Subject | undefined => {
    const { accessToken: idToken, refreshToken, session = '' } = record;
    const showsRefreshToken = idToken === '' || options.subject === 'refresh_token';
    const type = showsRefreshToken && refreshToken !== undefined ? 'refresh_token' : 'id_token';
    const token = type === 'refresh_token' ? refreshToken : idToken;
    return token === undefined || token === '' || token === refusedToken
      ? undefined
      : { token, type, session, record, keeper: own };
  };

  /** The identity provider itself has ended it: what was derived from it ends as well. */
  const endIfDead = async (before: SessionRecord | undefined, own: TokenManager): Promise<void> => {
    const after = await own.current();
    if (before?.refreshToken !== undefined && after !== undefined && after.refreshToken === undefined) {
      await own.drop();
    }
  };

  const current = async (): Promise<Subject | undefined> => {
    const before = await keeper.current();
    const record = await keeper.usable();
    if (record !== undefined) return subjectOf(record, keeper);
    await endIfDead(before, keeper);
    return undefined;
  };

  /** Our own sign-in counts where the host names nobody, or the same person. */
  const isOurs = (record: SessionRecord | undefined, person: HostPerson | undefined): boolean =>
    record !== undefined && (person === undefined || isSamePerson(record.session, person.account));

  const fromHost = async (person: HostPerson, server: string): Promise<Subject | undefined> => {
    const { given } = person;
    if (given.token === refusedToken) return undefined;
    if (given.type !== 'saml2') {
      return { ...given, session: await host.sessionOf(person), record: undefined, keeper: undefined };
    }
    const record = await host.fromSaml(person, server);
    return record && subjectOf(record, host.keeperOf(person.account));
  };

  const subject = async (server: string): Promise<Subject> => {
    const person = await host.person(server);
    const ours = isOurs(await keeper.current(), person) ? await current() : undefined;
    const found = ours ?? (person && (await fromHost(person, server)));
    if (found === undefined) throw signInRequired(server, issuer);
    return found;
  };

  return {
    async id() {
      const isOld = clock.now() - readAt > READ_AGAIN_MS;
      if (isOld) readAt = clock.now();
      const record = await (isOld ? keeper.reload() : keeper.current());
      const person = await host.person(context.server);
      if (isOurs(record, person)) return record?.session;
      return person && host.sessionOf(person);
    },
    async proof({ again = false } = {}) {
      const record = await (again ? keeper.reload() : keeper.current());
      if (again) readAt = clock.now();
      const person = await host.person(context.server);
      if (isOurs(record, person)) return `${record?.session ?? ''} ${record?.obtainedAt}`;
      return person && host.sessionOf(person);
    },
    subject,
    async replace({ token, type, record, keeper: own }, server) {
      if (record === undefined || own === undefined || clock.now() - record.obtainedAt < YOUNG_MS)
        return undefined;
      // A refresh token is shown where there is no ID token, which may be another matter the next time.
      const canRenew = type === 'id_token' || record.accessToken === '';
      if (canRenew && record.refreshToken !== undefined) {
        if ((await own.renew(record)) === 'fresh') return subject(server);
        await endIfDead(record, own);
      }
      refusedToken = token;
      throw signInRequired(server, issuer);
    },
    async begin({ id_token: idToken, refresh_token: refreshToken }) {
      const previous = await keeper.reload();
      const session = sessionIdFor(idToken, previous?.session);
      await keeper.keep(sessionRecord(connection, { idToken, refreshToken, session }));
      refusedToken = undefined;
    },
    async end() {
      // A host that can't say who it is must not keep anybody signed in.
      const person = await host.person(context.server).catch(() => undefined);
      const record = await keeper.reload();
      const isTheirs = person !== undefined && !isOurs(record, person);
      const ofHost = person && (await host.end(person.account));
      refusedToken = undefined;
      // Another person's own sign-in is not ended by this one.
      if (isTheirs) return ofHost;
      await keeper.drop();
      return record ?? ofHost;
    },
  };
}

/** Whether a proof of who the person is can be had without the person. */
export async function isSignedIn(shared: SharedSignIn, server: string): Promise<boolean> {
  try {
    await shared.subject(server);
    return true;
  } catch (error) {
    if (error instanceof AuthRequiredError) return false;
    throw error;
  }
}

/** As if the identity provider had said that the refresh token is dead: for this person, it is. */
function somebodyElse(issuer: string): FittingsError {
  return new FittingsError('AUTH_FAILED', `${issuer} renewed the sign-in of one person for another one.`, {
    details: { status: 400, oauthError: 'invalid_grant' },
  });
}
