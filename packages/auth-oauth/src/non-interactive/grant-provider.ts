import {
  type AuthChallenge,
  type AuthProvider,
  FittingsError,
  type SignInOptions,
} from '@mcp-fittings/client-core';
import type { DPoPHandle, TokenEndpointResponse } from 'oauth4webapi';
import type { CachedDiscovery } from '../discovery/discover.js';
import { createProviderContext } from '../node-platform.js';
import type { TokenProviderOptions } from '../options.js';
import type { ProviderContext } from '../provider/provider-context.js';
import { TokenProvider } from '../provider/token-provider.js';
import type { Renewal, TokenManager } from '../tokens/token-manager.js';
import { createTokenRecord, type TokenRecord } from '../tokens/token-record.js';
import { mergeScopes, parseOAuthChallenge } from '../protocol/values.js';

/** Obtains a token without a sign-in at the server: the one thing in which the non-interactive grants differ. */
export interface Grant {
  /**
   * Part of the key in the store, for example `client-credentials`. Tokens of different kinds for one server are kept
   * apart.
   */
  readonly kind: string;
  /**
   * Requests a token. Called with the store locked, so that one process at a time requests one. What it rejects with is
   * thrown to the caller, and repeated for a while without another request.
   */
  run(request: GrantRequest): Promise<GrantedToken>;
  /** Returns whether a stored token may still be used. Default: every token. */
  readonly accepts?: ((held: TokenRecord) => boolean) | undefined;
  /** As {@link Renewal.remembers}. */
  readonly remembers?: Renewal['remembers'];
}

/** Options of a {@link Grant} for one token. */
export interface GrantRequest {
  /** Server, store, network and logger of the provider. */
  readonly provider: ProviderContext;
  /** The authorization server, and the resource that the token is for. */
  readonly discovered: CachedDiscovery;
  /** The scopes to request; empty to request none. */
  readonly scopes: readonly string[];
  /** Signs the DPoP proofs that the token shall be bound to; undefined for a bearer token. */
  readonly dpop: DPoPHandle | undefined;
  /** Aborts the request, if a caller passed a signal. */
  readonly signal: AbortSignal | undefined;
}

/** Token that a {@link Grant} obtained. */
export interface GrantedToken {
  /** The response of the token endpoint. A refresh token in it is not kept: the grant itself can be repeated. */
  readonly response: TokenEndpointResponse;
  /** The client that the token was issued to. */
  readonly clientId: string;
  /** Opaque id of the sign-in elsewhere that the token was derived from. */
  readonly session?: string | undefined;
}

/**
 * Obtains the tokens of one server by a grant without a person. The first 401 leads to the authorization server; later
 * tokens are obtained before the held one expires, once for all processes that share the store.
 */
export class GrantProvider {
  /** Server, store, network and discovery, as passed to the grant. */
  readonly provider: ProviderContext;
  /** Holds the token of this grant. */
  readonly tokens: TokenManager;
  readonly #grant: Grant;
  readonly #scopes: readonly string[] | undefined;
  readonly #tokenProvider: TokenProvider;
  /** The scopes that the server demanded last. */
  #demanded: readonly string[] | undefined;

  constructor(options: TokenProviderOptions, grant: Grant) {
    const provider = createProviderContext(options);
    const { server } = provider;
    this.provider = provider;
    this.#grant = grant;
    this.#scopes = options.scopes;
    const renewal: Renewal = {
      possible: () => true,
      run: (held) => provider.discovery.request(held, (discovered) => this.#request(held, discovered)),
      onRefusal: 'throw',
      remembers: grant.remembers,
    };
    this.tokens = provider.createTokenManager(grant.kind, renewal, grant.accepts);
    this.#tokenProvider = new TokenProvider(provider, this.tokens, {
      canStartSilently: true,
      onUnrecoverable: () =>
        new FittingsError(
          'AUTH_REJECTED',
          `"${server}" refuses the tokens that its authorization server issues.`,
          { server },
        ),
      onInsufficientScope: (challenge, record) => this.#requestScopes(challenge, record),
    });
  }

  /** As {@link AuthProvider.headers}. */
  headers(request: Parameters<AuthProvider['headers']>[0]): Promise<Record<string, string>> {
    return this.#tokenProvider.headers(request);
  }

  /** As {@link AuthProvider.onChallenge}. */
  async onChallenge(challenge: AuthChallenge): Promise<'retry'> {
    this.#learn(challenge);
    return this.#tokenProvider.onChallenge(challenge);
  }

  /** As {@link AuthProvider.onDpopNonce}. */
  onDpopNonce(answer: { readonly url: URL; readonly dpopNonce: string }): void {
    this.#tokenProvider.onDpopNonce(answer);
  }

  /** Obtains another token now, with the scopes that the challenge demands, and stores it. */
  async obtain({ challenge, signal }: SignInOptions): Promise<void> {
    const { discovery } = this.provider;
    this.#learn(challenge);
    const held = await this.tokens.reload();
    const at = (discovered: CachedDiscovery) => this.#request(held, discovered, signal);
    const record =
      challenge === undefined
        ? await discovery.request(held, at)
        : await at(await discovery.discover({ record: held, challenge, signal }));
    await this.tokens.keep(record);
  }

  /** Deletes the token and the DPoP key. */
  async forget(): Promise<void> {
    await this.tokens.drop();
    await this.provider.dpopKeys.forget();
  }

  #learn(challenge: AuthChallenge | undefined): void {
    this.#demanded = parseOAuthChallenge(challenge).scopes ?? this.#demanded;
  }

  async #request(
    held: TokenRecord | undefined,
    discovered: CachedDiscovery,
    signal?: AbortSignal,
  ): Promise<TokenRecord> {
    const { provider } = this;
    const { server, clock } = provider;
    const demanded = this.#demanded;
    const wanted = this.#scopes ?? demanded ?? discovered.scopes ?? [];
    const scopes = mergeScopes(held?.requested ?? [], wanted, demanded ?? []);
    const dpop = await provider.dpopKeyFor(discovered);
    const granted = await this.#grant.run({ provider, discovered, scopes, dpop, signal });
    const { response, clientId, session } = granted;
    // A refresh token is not needed: the grant itself can be repeated.
    const { refresh_token: _, ...access } = response;
    const now = clock.now();
    return createTokenRecord(access, { server, discovered, clientId, requested: scopes, session, now });
  }

  async #requestScopes(challenge: AuthChallenge, record: TokenRecord | undefined): Promise<void> {
    const { server, discovery } = this.provider;
    const { scopes } = parseOAuthChallenge(challenge);
    if (scopes === undefined || scopes.every((scope) => record?.requested.includes(scope) === true)) {
      throw new FittingsError(
        'AUTH_SCOPE_INSUFFICIENT',
        `"${server}" requires a scope that this client was not granted.`,
        {
          server,
          delivery: 'rejected',
          hint: 'Ask the owner of the authorization server for the missing scopes.',
        },
      );
    }
    this.#demanded = scopes;
    await discovery.discover({ record, challenge });
    await this.tokens.renew(record);
  }
}

/** Creates an auth provider that never involves a person. */
export function createNonInteractiveProvider(options: TokenProviderOptions, grant: Grant): AuthProvider {
  const grants = new GrantProvider(options, grant);
  return {
    headers: (request) => grants.headers(request),
    onChallenge: (challenge) => grants.onChallenge(challenge),
    onDpopNonce: (answer) => grants.onDpopNonce(answer),
    signOut: () => grants.forget(),
  };
}
