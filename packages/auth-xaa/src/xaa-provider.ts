import {
  checkClientMetadataUrl,
  createClientRegistry,
  createGrantProvider,
  createProviderDeps,
  parseOAuthChallenge,
  revokeTokens,
} from '@mcp-fittings/auth-oauth/toolkit';
import { AuthRequiredError, type AuthChallenge, type AuthProvider } from '@mcp-fittings/client-core';
import { signInRequired } from './failures.js';
import { personOf } from './idp/session.js';
import { STEP_UP_ERROR } from './idp/step-up-error.js';
import type { XaaProviderOptions } from './options.js';
import { redeem } from './resource/redeem.js';

/**
 * Signs the requests to one server with access tokens that are got, silently, from the sign-in at the company's identity
 * provider. Rejects with `AUTH_REQUIRED` when nobody is signed in there, `AUTH_EXCHANGE_FAILED` when the identity provider
 * refuses, `AUTH_REJECTED` or `AUTH_FAILED` when the server's authorization server does, `POLICY_DENIED`,
 * `AUTH_DISCOVERY_FAILED`, `AUTH_SCOPE_INSUFFICIENT`, and with the codes of the network and the store.
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function createXaaProvider(options: XaaProviderOptions): AuthProvider {
  checkClientMetadataUrl(options.clientMetadataUrl, options.server);
  const { identityProvider } = options;
  const shared = createProviderDeps(options);
  const people = new Map<string, AuthProvider>();

  /** The provider of whoever is there in this very call: people whom the host vouches for never share tokens. */
  const current = async (): Promise<AuthProvider> => {
    const person = personOf(await identityProvider.session());
    const found = people.get(person) ?? createPersonProvider({ ...options, network: shared.network }, person);
    people.delete(person);
    people.set(person, found);
    const [oldest] = people.keys();
    if (people.size > MAX_PEOPLE && oldest !== undefined) people.delete(oldest);
    return found;
  };

  return {
    async headers(request) {
      if (request.url.origin !== shared.serverUrl.origin) return {};
      return (await current()).headers(request);
    },
    onChallenge: async (challenge) => (await current()).onChallenge(challenge),
    onDpopNonce(reply) {
      for (const provider of people.values()) provider.onDpopNonce?.(reply);
    },
    hasNewSignIn: async (challenge) => (await (await current()).hasNewSignIn?.(challenge)) === true,
    identity: async () => (await current()).identity?.(),
    signIn: async (request) => (await current()).signIn?.(request),
    signOut: async () => (await current()).signOut?.(),
  };
}

/** The tokens of so many people are at hand; those of others are read from the store again. */
const MAX_PEOPLE = 100;

/** The provider of one person: of the one who signs in here, or of one whom the host vouches for. */
function createPersonProvider(options: XaaProviderOptions, person: string): AuthProvider {
  const { identityProvider } = options;
  let session: string | undefined;
  let isInStep = false;
  /** The proof that was of no use when a person was last asked for. */
  let ended: string | undefined;

  const kind = person === '' ? 'xaa' : `xaa\n${person}`;
  const grants = createGrantProvider(options, {
    kind,
    accepts: (held) => held.session === session,
    async run(request) {
      const granted = await redeem(options, clients, request);
      // The host names another person than a moment ago: what is theirs is not kept here.
      if (personOf(granted.session) !== person) throw signInRequired(server, identityProvider.issuer);
      session = granted.session;
      return granted;
    },
  });
  const { provider: context, tokens: keeper, tokenProvider: silent } = grants;
  const { server, store, network, logger } = context;
  const key = context.keyOf(kind);
  const clients = createClientRegistry(context, { ...options, clientName: '', registration: 'never' });

  /** What was derived from a sign-in that does not count any more is dropped. */
  const followSession = async (): Promise<void> => {
    const now = await identityProvider.session();
    if (personOf(now) !== person) throw signInRequired(server, identityProvider.issuer);
    if (isInStep && now === session) return;
    session = now;
    isInStep = true;
    const stored = await store.get(key);
    if (stored !== undefined && !isSignedOut(stored) && stored['session'] !== now) await keeper.drop();
  };

  const required = (challenge: AuthChallenge, details?: AuthRequiredError['details']): AuthRequiredError =>
    signInRequired(server, identityProvider.issuer, challenge, details);

  /** RFC 9470: the server itself wants a stronger sign-in. Done already: then a newer token will do. */
  const checkStepUp = async (challenge: AuthChallenge): Promise<void> => {
    const { error, acrValues, maxAge } = parseOAuthChallenge(challenge);
    if (error !== STEP_UP_ERROR) return;
    const since = (await keeper.current())?.obtainedAt;
    const demanded = identityProvider.stepUp({ server, acrValues, maxAge, since });
    if (demanded !== undefined) throw demanded;
  };

  /** A person is asked for: what the store has now does not help. */
  const asking = async (
    challenge: AuthChallenge,
    details?: AuthRequiredError['details'],
  ): Promise<AuthRequiredError> => {
    ended = await identityProvider.proof();
    return required(challenge, details);
  };

  return {
    async headers(request) {
      try {
        await followSession();
        return await silent.headers(request);
      } catch (error) {
        // The server will say what it wants, and then it is known what to sign in for.
        if (error instanceof AuthRequiredError) return {};
        throw error;
      }
    },
    async onChallenge(challenge) {
      await followSession();
      if (isSignedOut(await store.get(key))) throw await asking(challenge);
      try {
        await checkStepUp(challenge);
        return await silent.onChallenge(challenge);
      } catch (error) {
        throw error instanceof AuthRequiredError ? await asking(challenge, error.details) : error;
      }
    },
    onDpopNonce: (reply) => silent.onDpopNonce(reply),
    async hasNewSignIn() {
      if (isSignedOut(await store.get(key))) return false;
      const proof = await identityProvider.proof({ again: true });
      return proof !== undefined && proof !== ended;
    },
    async identity() {
      return isSignedOut(await store.get(key)) ? undefined : identityProvider.session();
    },
    async signIn({ signal, challenge }) {
      for (let round = 0; ; round++) {
        context.retryFailedIssuers();
        await identityProvider.signIn({ signal });
        await followSession();
        try {
          return await grants.obtain({ signal, challenge });
        } catch (error) {
          // Only now it is known that this server wants a stronger sign-in; the person is still there.
          if (!(error instanceof AuthRequiredError) || round > 0) throw error;
        }
      }
    },
    async signOut() {
      const record = await keeper.reload();
      await grants.forget();
      // Else the next request would sign in again, silently.
      await store.set(key, SIGNED_OUT);
      if (record === undefined) return;
      const discover = () => context.discover({ record });
      await revokeTokens({ record, network, server, clients, logger, discover });
    },
  };
}

/** Stands where the token was. */
const SIGNED_OUT = { version: 1, signedOut: true };

function isSignedOut(stored: Readonly<Record<string, unknown>> | undefined): boolean {
  return stored?.['signedOut'] === true;
}
