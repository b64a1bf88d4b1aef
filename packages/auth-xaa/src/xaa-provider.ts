import {
  checkClientMetadataUrl,
  ClientRegistry,
  createProviderContext,
  GrantProvider,
  parseOAuthChallenge,
  revokeTokens,
} from '@mcp-fittings/auth-oauth/toolkit';
import {
  type AuthChallenge,
  type AuthProvider,
  AuthRequiredError,
  type SignInOptions,
} from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { signInRequired, type SignInReason } from './errors.js';
import type { SharedIdentityProvider } from './identity-provider/identity-provider.js';
import { hostAccountOf } from './identity-provider/session.js';
import { STEP_UP_ERROR } from './identity-provider/step-up.js';
import type { XaaProviderOptions } from './options.js';
import { redeemIdJag } from './redeem-id-jag.js';

/** Creates the provider of one server, for every user of the identity provider. See `createProvider()` of it. */
export function createXaaProvider(
  options: XaaProviderOptions,
  identityProvider: SharedIdentityProvider,
): AuthProvider {
  checkClientMetadataUrl(options.clientMetadataUrl, options.server);
  const { serverUrl, network } = createProviderContext(options);
  const providers = new RecentMap<string, UserProvider>(MAX_PROVIDERS);

  /** The provider of the user of this call: users whom the host has signed in never share tokens. */
  const current = async (): Promise<UserProvider> => {
    const account = hostAccountOf(await identityProvider.sessionId());
    const found =
      providers.get(account) ?? new UserProvider({ ...options, network }, identityProvider, account);
    providers.set(account, found);
    return found;
  };

  return {
    async headers(request) {
      if (request.url.origin !== serverUrl.origin) return {};
      return (await current()).headers(request);
    },
    onChallenge: async (challenge) => (await current()).onChallenge(challenge),
    onDpopNonce(reply) {
      for (const provider of providers.values()) provider.onDpopNonce(reply);
    },
    hasNewSignIn: async () => (await current()).hasNewSignIn(),
    identity: async () => (await current()).identity(),
    signIn: async (request) => (await current()).signIn(request),
    signOut: async () => (await current()).signOut(),
  };
}

/** Number of users whose provider is cached; for others the tokens are read from the store again. */
const MAX_PROVIDERS = 100;

/** The provider of one user: of the sign-in of this package (`account` is empty), or of a user of the host. */
class UserProvider {
  readonly #identityProvider: SharedIdentityProvider;
  readonly #account: string;
  readonly #grants: GrantProvider;
  readonly #clients: ClientRegistry;
  readonly #key: string;
  #session: string | undefined;
  #isSynchronized = false;
  /** Version of the sign-in that was insufficient when a sign-in was last required; undefined after a token was obtained. */
  #insufficientVersion: string | undefined;

  constructor(options: XaaProviderOptions, identityProvider: SharedIdentityProvider, account: string) {
    this.#identityProvider = identityProvider;
    this.#account = account;
    const kind = account === '' ? 'xaa' : `xaa\n${account}`;
    this.#grants = new GrantProvider(options, {
      kind,
      accepts: (held) => held.session === this.#session,
      run: async (request) => {
        const granted = await redeemIdJag(options, identityProvider, this.#clients, request);
        // The host names another user than a moment ago, whose token does not belong here.
        if (hostAccountOf(granted.session) !== account) throw this.#signInRequired();
        this.#session = granted.session;
        this.#insufficientVersion = undefined;
        return granted;
      },
    });
    const { provider } = this.#grants;
    this.#key = provider.keyOf(kind);
    this.#clients = new ClientRegistry(provider, { ...options, clientName: '', registration: 'never' });
  }

  async headers(request: Parameters<AuthProvider['headers']>[0]): Promise<Record<string, string>> {
    try {
      await this.#synchronize();
      return await this.#grants.headers(request);
    } catch (error) {
      // The server's refusal will say what to sign in for.
      if (error instanceof AuthRequiredError) return {};
      throw error;
    }
  }

  async onChallenge(challenge: AuthChallenge): Promise<'retry'> {
    await this.#synchronize();
    if (await this.#isSignedOut()) throw await this.#requireSignIn(challenge);
    try {
      await this.#checkStepUp(challenge);
      return await this.#grants.onChallenge(challenge);
    } catch (error) {
      throw error instanceof AuthRequiredError ? await this.#requireSignIn(challenge, error) : error;
    }
  }

  onDpopNonce(reply: { readonly url: URL; readonly dpopNonce: string }): void {
    this.#grants.onDpopNonce(reply);
  }

  async hasNewSignIn(): Promise<boolean> {
    if (await this.#isSignedOut()) return false;
    const version = await this.#identityProvider.signInVersion({ reload: true });
    return version !== undefined && version !== this.#insufficientVersion;
  }

  async identity(): Promise<string | undefined> {
    return (await this.#isSignedOut()) ? undefined : this.#identityProvider.sessionId();
  }

  async signIn({ signal, challenge }: SignInOptions): Promise<void> {
    for (let round = 0; ; round++) {
      this.#grants.provider.discovery.retryFailedIssuers();
      await this.#identityProvider.signIn({ signal });
      await this.#synchronize();
      try {
        return await this.#grants.obtain({ signal, challenge });
      } catch (error) {
        // The server turned out to require a stronger sign-in, while the user is still there.
        if (!(error instanceof AuthRequiredError) || round > 0) throw error;
      }
    }
  }

  async signOut(): Promise<void> {
    const { tokens, provider } = this.#grants;
    const { server, store, network, logger, discovery } = provider;
    const record = await tokens.reload();
    await this.#grants.forget();
    // Without this mark, the next request would sign in again silently.
    await store.set(this.#key, SIGNED_OUT);
    if (record === undefined) return;
    const discover = () => discovery.discover({ record });
    await revokeTokens({ record, network, server, clients: this.#clients, logger, discover });
  }

  /** Drops tokens that were derived from a sign-in that has ended. */
  async #synchronize(): Promise<void> {
    const now = await this.#identityProvider.sessionId();
    if (hostAccountOf(now) !== this.#account) throw this.#signInRequired();
    if (this.#isSynchronized && now === this.#session) return;
    this.#session = now;
    this.#isSynchronized = true;
    const { provider, tokens } = this.#grants;
    const stored = await provider.store.get(this.#key);
    if (stored !== undefined && !isSignedOut(stored) && stored['session'] !== now) await tokens.drop();
  }

  /** RFC 9470: the server itself requires a stronger sign-in. If the user has completed it, a newer token is enough. */
  async #checkStepUp(challenge: AuthChallenge): Promise<void> {
    const { provider, tokens } = this.#grants;
    const { error, acrValues, maxAge } = parseOAuthChallenge(challenge);
    if (error !== STEP_UP_ERROR) return;
    const held = await tokens.current();
    // A newer token has been obtained while the server refused this one.
    if (held !== undefined && challenge.refused?.endsWith(` ${held.accessToken}`) === false) return;
    const insufficient = this.#insufficientVersion;
    const isNew = insufficient !== (await this.#identityProvider.signInVersion());
    if (insufficient !== undefined && isNew) return;
    const { server } = provider;
    const since = held?.obtainedAt;
    const refusal = await this.#identityProvider.requireStepUp({ server, acrValues, maxAge, since });
    if (refusal !== undefined) throw refusal;
  }

  /** Requires a sign-in, and remembers that the current one is insufficient. */
  async #requireSignIn(
    challenge: AuthChallenge,
    { details, cause }: Pick<AuthRequiredError, 'details' | 'cause'> = { details: {} },
  ): Promise<AuthRequiredError> {
    this.#insufficientVersion = await this.#identityProvider.signInVersion();
    return this.#signInRequired({ challenge, details, cause });
  }

  #signInRequired(reason: SignInReason = {}): AuthRequiredError {
    return signInRequired(this.#grants.provider.server, this.#identityProvider.issuer, reason);
  }

  async #isSignedOut(): Promise<boolean> {
    return isSignedOut(await this.#grants.provider.store.get(this.#key));
  }
}

/** Stored in place of the token. */
const SIGNED_OUT = { version: 1, signedOut: true };

function isSignedOut(stored: Readonly<Record<string, unknown>> | undefined): boolean {
  return stored?.['signedOut'] === true;
}
