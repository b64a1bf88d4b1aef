import { createTokenKeeper, refreshGrant } from '@mcp-fittings/auth-oauth/flows';
import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { signInRequired } from '../failures.js';
import type { Connection } from './connection.js';
import { askHost } from './host-subject.js';
import type { IdentityProviderOptions, SubjectToken } from './options.js';
import { samlToRefreshToken } from './saml.js';
import { isSomebodyElse, sessionIdFor, sessionRecord, type SessionRecord } from './session.js';

/** Proof of who the person is, to be exchanged. */
export interface Subject extends SubjectToken {
  /** The sign-in that it is part of. */
  readonly session: string;
  /** Where it is kept; undefined for what the host gave. */
  readonly record: SessionRecord | undefined;
}

/** The one sign-in of a person at the identity provider, in one entry of the store, for every server and every process. */
export interface SharedSignIn {
  /** Id of the sign-in that counts; undefined when nobody is signed in. */
  id(): Promise<string | undefined>;
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

/** Of a host that signs people in itself we know no more than that. */
const OF_HOST = 'host';
/** Somebody else may have signed out meanwhile. */
const READ_AGAIN_MS = 60_000;
/** A proof so young is not refused because of its age. */
const YOUNG_MS = 10_000;

export function createSharedSignIn(connection: Connection, options: IdentityProviderOptions): SharedSignIn {
  const { context, issuer, clientId } = connection;
  const { clock, store, logger } = context;
  let readAt = Number.NEGATIVE_INFINITY;
  let refusedToken: string | undefined;
  let asking: Promise<Subject | undefined> | undefined;

  const keeper = createTokenKeeper({
    server: context.server,
    store,
    key: context.keyOf(`xaa-sign-in\n${clientId}`),
    clock,
    logger,
    renewal: {
      possible: (held) => held?.refreshToken !== undefined,
      async run(held) {
        const { refreshToken = '', session = '' } = held ?? {};
        const response = await refreshGrant(await connection.request({ idToken: true }), refreshToken);
        const { id_token: idToken, refresh_token: rotated = refreshToken } = response;
        if (idToken !== undefined && isSomebodyElse(idToken, session)) throw somebodyElse(issuer);
        return sessionRecord(connection, { idToken, refreshToken: rotated, session });
      },
      onRefusal: 'ask',
    },
  });

  const subjectOf = (record: SessionRecord): Subject | undefined => {
    const { accessToken: idToken, refreshToken, session = '' } = record;
    const showsRefreshToken = idToken === '' || options.subject === 'refresh_token';
    const type = showsRefreshToken && refreshToken !== undefined ? 'refresh_token' : 'id_token';
    const token = type === 'refresh_token' ? refreshToken : idToken;
    return token === undefined || token === '' || token === refusedToken
      ? undefined
      : { token, type, session, record };
  };

  /** The identity provider itself has ended it: what was derived from it ends as well. */
  const endIfDead = async (before: SessionRecord | undefined): Promise<void> => {
    const after = await keeper.current();
    if (before?.refreshToken !== undefined && after !== undefined && after.refreshToken === undefined) {
      await keeper.drop();
    }
  };

  const current = async (): Promise<Subject | undefined> => {
    const before = await keeper.current();
    const record = await keeper.usable();
    if (record !== undefined) return subjectOf(record);
    await endIfDead(before);
    return undefined;
  };

  const askHostNow = async (server: string): Promise<Subject | undefined> => {
    // Somebody may just have done it: a SAML assertion is good for once.
    const found = await current();
    if (found !== undefined) return found;
    const given = await askHost(connection, options, server);
    if (given === undefined || given.token === refusedToken) return undefined;
    if (given.type !== 'saml2') return { ...given, session: OF_HOST, record: undefined };
    const refreshToken = await samlToRefreshToken(await connection.request({ server }), given);
    const session = sessionIdFor(undefined, undefined);
    await keeper.keep(sessionRecord(connection, { idToken: undefined, refreshToken, session }));
    return current();
  };

  /** Once for all who want to know at the same time. */
  const fromHost = (server: string): Promise<Subject | undefined> => {
    asking ??= askHostNow(server).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  const subject = async (server: string): Promise<Subject> => {
    const found = (await current()) ?? (await fromHost(server));
    if (found === undefined) throw signInRequired(server, issuer);
    return found;
  };

  return {
    async id() {
      const isOld = clock.now() - readAt > READ_AGAIN_MS;
      if (isOld) readAt = clock.now();
      const record = await (isOld ? keeper.reload() : keeper.current());
      return record?.session ?? (options.subjectToken === undefined ? undefined : OF_HOST);
    },
    subject,
    async replace({ token, type, record }, server) {
      if (record === undefined || clock.now() - record.obtainedAt < YOUNG_MS) return undefined;
      // A refresh token is shown where there is no ID token, which may be another matter the next time.
      const canRenew = type === 'id_token' || record.accessToken === '';
      if (canRenew && record.refreshToken !== undefined) {
        if ((await keeper.renew(record)) === 'fresh') return subject(server);
        await endIfDead(record);
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
      const record = await keeper.reload();
      await keeper.drop();
      refusedToken = undefined;
      return record;
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
