import {
  checkClientMetadataUrl,
  ClientRegistry,
  GrantProvider,
  parseOAuthChallenge,
  ProviderContext,
  revokeTokens,
} from '@mcp-fittings/auth-oauth/toolkit';
import { type AuthChallenge, type AuthProvider, AuthRequiredError } from '@mcp-fittings/client-core';
import { signInRequired } from './errors.js';
import { hostAccountOf } from './identity-provider/session.js';
import { STEP_UP_ERROR } from './identity-provider/step-up.js';
import type { XaaProviderOptions } from './options.js';
import { redeemIdJag } from './redeem-id-jag.js';

/**
 * Creates the provider of one server, which derives access tokens from the sign-in at the company's identity provider without
 * asking the user. For programs without a host; a host uses `xaa()`.
 *
 * Throws `CONFIG_INVALID` for an invalid `clientMetadataUrl`. Its methods reject with `AUTH_REQUIRED` when no one is signed in at
 * the identity provider, `AUTH_EXCHANGE_FAILED` when the identity provider refuses, `AUTH_REJECTED` or `AUTH_FAILED` when the
 * server's authorization server does, `POLICY_DENIED`, `AUTH_DISCOVERY_FAILED`, `AUTH_SCOPE_INSUFFICIENT`, and with the codes of
 * the network and the store.
 * @example
 * const identityProvider = createIdentityProvider({ issuer, clientId: 'my-agent', store, interaction });
 * const provider = createXaaProvider({ identityProvider, url, server: 'notes', clientId: 'my-agent', store });
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function createXaaProvider(options: XaaProviderOptions): AuthProvider {
  checkClientMetadataUrl(options.clientMetadataUrl, options.server);
  const { identityProvider } = options;
  const shared = new ProviderContext(options);
  const providers = new Map<string, AuthProvider>();

  /** The provider of the user of this call: users whom the host has signed in never share tokens. */
  const current = async (): Promise<AuthProvider> => {
    const account = hostAccountOf(await identityProvider.sessionId());
    const found =
      providers.get(account) ?? createUserProvider({ ...options, network: shared.network }, account);
    providers.delete(account);
    providers.set(account, found);
    const [oldest] = providers.keys();
    if (providers.size > MAX_PROVIDERS && oldest !== undefined) providers.delete(oldest);
    return found;
  };

  return {
    async headers(request) {
      if (request.url.origin !== shared.serverUrl.origin) return {};
      return (await current()).headers(request);
    },
    onChallenge: async (challenge) => (await current()).onChallenge(challenge),
    onDpopNonce(reply) {
      for (const provider of providers.values()) provider.onDpopNonce?.(reply);
    },
    hasNewSignIn: async (challenge) => (await (await current()).hasNewSignIn?.(challenge)) === true,
    identity: async () => (await current()).identity?.(),
    signIn: async (request) => (await current()).signIn?.(request),
    signOut: async () => (await current()).signOut?.(),
  };
}

/** Number of users whose provider is cached; for others the tokens are read from the store again. */
const MAX_PROVIDERS = 100;

/** Creates the provider of one user: of the sign-in of this package (`account` is empty), or of a user of the host. */
function createUserProvider(options: XaaProviderOptions, account: string): AuthProvider {
  const { identityProvider } = options;
  let session: string | undefined;
  let isSynchronized = false;
  /** Version of the sign-in that was insufficient when a sign-in was last required. */
  let insufficientVersion: string | undefined;

  const kind = account === '' ? 'xaa' : `xaa\n${account}`;
  const grants = new GrantProvider(options, {
    kind,
    accepts: (held) => held.session === session,
    async run(request) {
      const granted = await redeemIdJag(options, clients, request);
      // The host names another user than a moment ago, whose token does not belong here.
      if (hostAccountOf(granted.session) !== account) throw signInRequired(server, identityProvider.issuer);
      session = granted.session;
      return granted;
    },
  });
  const { provider, tokens } = grants;
  const { server, store, network, logger, discovery } = provider;
  const key = provider.keyOf(kind);
  const clients = new ClientRegistry(provider, { ...options, clientName: '', registration: 'never' });

  /** Drops tokens that were derived from a sign-in that has ended. */
  const synchronize = async (): Promise<void> => {
    const now = await identityProvider.sessionId();
    if (hostAccountOf(now) !== account) throw signInRequired(server, identityProvider.issuer);
    if (isSynchronized && now === session) return;
    session = now;
    isSynchronized = true;
    const stored = await store.get(key);
    if (stored !== undefined && !isSignedOut(stored) && stored['session'] !== now) await tokens.drop();
  };

  /** RFC 9470: the server itself requires a stronger sign-in. If the user has completed it, a newer token is enough. */
  const checkStepUp = async (challenge: AuthChallenge): Promise<void> => {
    const { error, acrValues, maxAge } = parseOAuthChallenge(challenge);
    if (error !== STEP_UP_ERROR) return;
    const since = (await tokens.current())?.obtainedAt;
    const refusal = identityProvider.requireStepUp({ server, acrValues, maxAge, since });
    if (refusal !== undefined) throw refusal;
  };

  /** Requires a sign-in, and remembers that the current one is insufficient. */
  const requireSignIn = async (
    challenge: AuthChallenge,
    { details, cause }: Pick<AuthRequiredError, 'details' | 'cause'> = { details: {} },
  ): Promise<AuthRequiredError> => {
    insufficientVersion = await identityProvider.signInVersion();
    return signInRequired(server, identityProvider.issuer, { challenge, details, cause });
  };

  return {
    async headers(request) {
      try {
        await synchronize();
        return await grants.headers(request);
      } catch (error) {
        // The server's refusal will say what to sign in for.
        if (error instanceof AuthRequiredError) return {};
        throw error;
      }
    },
    async onChallenge(challenge) {
      await synchronize();
      if (isSignedOut(await store.get(key))) throw await requireSignIn(challenge);
      try {
        await checkStepUp(challenge);
        return await grants.onChallenge(challenge);
      } catch (error) {
        throw error instanceof AuthRequiredError ? await requireSignIn(challenge, error) : error;
      }
    },
    onDpopNonce: (reply) => grants.onDpopNonce(reply),
    async hasNewSignIn() {
      if (isSignedOut(await store.get(key))) return false;
      const version = await identityProvider.signInVersion({ reload: true });
      return version !== undefined && version !== insufficientVersion;
    },
    async identity() {
      return isSignedOut(await store.get(key)) ? undefined : identityProvider.sessionId();
    },
    async signIn({ signal, challenge }) {
      for (let round = 0; ; round++) {
        discovery.retryFailedIssuers();
        await identityProvider.signIn({ signal });
        await synchronize();
        try {
          return await grants.obtain({ signal, challenge });
        } catch (error) {
          // The server turned out to require a stronger sign-in, while the user is still there.
          if (!(error instanceof AuthRequiredError) || round > 0) throw error;
        }
      }
    },
    async signOut() {
      const record = await tokens.reload();
      await grants.forget();
      // Without this mark, the next request would sign in again silently.
      await store.set(key, SIGNED_OUT);
      if (record === undefined) return;
      const discover = () => discovery.discover({ record });
      await revokeTokens({ record, network, server, clients, logger, discover });
    },
  };
}

/** Stored in place of the token. */
const SIGNED_OUT = { version: 1, signedOut: true };

function isSignedOut(stored: Readonly<Record<string, unknown>> | undefined): boolean {
  return stored?.['signedOut'] === true;
}
