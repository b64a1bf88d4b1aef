import {
  FittingsError,
  type AuthChallenge,
  type AuthProvider,
  type SignInOptions,
} from '@mcp-fittings/client-core';
import type { DPoPHandle, TokenEndpointResponse } from 'oauth4webapi';
import { parseOAuthChallenge } from '../discovery/challenge.js';
import { mergeScopes } from '../protocol/token-syntax.js';
import { withCachedDiscovery, type CachedDiscovery } from '../provider/cached-discovery.js';
import type { TokenProviderOptions } from '../provider/options.js';
import { createProviderDeps, tokenRecordOptions, type ProviderDeps } from '../provider/provider-deps.js';
import { createTokenProvider, type TokenProvider } from '../provider/token-provider.js';
import { createTokenManager, type TokenManager } from '../tokens/token-manager.js';
import { createTokenRecord, type TokenRecord } from '../tokens/token-record.js';

/** How to obtain a token without a sign-in at the server: the one thing in which the non-interactive grants differ. */
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
}

/** What a {@link Grant} requests a token for. */
export interface GrantRequest {
  /** Server, store, network and logger of the provider. */
  readonly provider: ProviderDeps;
  /** The authorization server, and the resource that the token is for. */
  readonly discovered: CachedDiscovery;
  /** The scopes to request; empty to request none. */
  readonly scopes: readonly string[];
  /** Signs the DPoP proofs that the token shall be bound to; undefined for a bearer token. */
  readonly dpop: DPoPHandle | undefined;
  /** Aborts the request, if a caller passed a signal. */
  readonly signal: AbortSignal | undefined;
}

/** What a {@link Grant} obtained. */
export interface GrantedToken {
  /** The response of the token endpoint. A refresh token in it is not kept: the grant itself can be repeated. */
  readonly response: TokenEndpointResponse;
  /** The client that the token was issued to. */
  readonly clientId: string;
  /** Opaque id of the sign-in elsewhere that the token was derived from. */
  readonly session?: string | undefined;
}

/** A provider that obtains its tokens by a {@link Grant}, in parts that a scheme composes into its own `AuthProvider`. */
export interface GrantProvider {
  /** Server, store, network and discovery, as passed to the grant. */
  readonly provider: ProviderDeps;
  /** Holds the token of this grant. */
  readonly tokens: TokenManager;
  /** Signs requests and recovers from refusals: `headers`, `onChallenge` and `onDpopNonce` of an `AuthProvider`. */
  readonly tokenProvider: TokenProvider;
  /** Obtains another token now, with the scopes that the challenge demands, and stores it. */
  obtain(request: SignInOptions): Promise<void>;
  /** Deletes the token and the DPoP key. */
  forget: NonNullable<AuthProvider['signOut']>;
}

/**
 * Creates a provider that obtains its tokens by a grant without a person. The first 401 leads to the authorization server;
 * later tokens are obtained before the held one expires, once for all processes that share the store.
 * @example
 * ```ts
 * const { tokenProvider, forget } = createGrantProvider(options, {
 *   kind: 'my-grant',
 *   async run({ provider, discovered, signal }) {
 *     const response = await requestExtensionGrant(
 *       { ...provider, authorizationServer: discovered.authorizationServer, client, signal },
 *       'Requesting a token with my grant',
 *       'urn:example:grant',
 *       { assertion, resource: discovered.resource },
 *     );
 *     return { response, clientId: client.clientId };
 *   },
 * });
 * const authProvider: AuthProvider = { ...tokenProvider, signOut: forget };
 * ```
 */
export function createGrantProvider(options: TokenProviderOptions, grant: Grant): GrantProvider {
  const provider = createProviderDeps(options);
  const { server, store, clock, logger } = provider;
  let demanded: readonly string[] | undefined;

  const run = async (
    held: TokenRecord | undefined,
    { challenge, signal }: SignInOptions = {},
  ): Promise<TokenRecord> => {
    const at = async (discovered: CachedDiscovery): Promise<TokenRecord> => {
      const scopes = mergeScopes(
        held?.requested ?? [],
        options.scopes ?? demanded ?? discovered.scopes ?? [],
        demanded ?? [],
      );
      const dpop = await provider.dpopKeyFor(discovered);
      const granted = await grant.run({ provider, discovered, scopes, dpop, signal });
      // A refresh token is not needed: the grant itself can be repeated.
      const { refresh_token: _, ...access } = granted.response;
      return createTokenRecord(access, {
        ...tokenRecordOptions(provider, discovered, granted.clientId, scopes),
        session: granted.session,
      });
    };
    if (challenge !== undefined) return at(await provider.discover({ record: held, challenge, signal }));
    return withCachedDiscovery(provider, held, at);
  };

  const tokens = createTokenManager({
    server,
    store,
    key: provider.keyOf(grant.kind),
    clock,
    logger,
    renewal: { possible: () => true, run, onRefusal: 'throw' },
    accepts: grant.accepts,
  });

  const tokenProvider = createTokenProvider({
    provider,
    tokens,
    canStartSilently: true,
    onUnrecoverable: () =>
      new FittingsError(
        'AUTH_REJECTED',
        `"${server}" refuses the tokens that its authorization server issues.`,
        {
          server,
        },
      ),
    async onInsufficientScope(challenge, record) {
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
      demanded = scopes;
      await provider.discover({ record, challenge });
      await tokens.renew(record);
    },
  });

  const learn = (challenge: AuthChallenge | undefined): void => {
    demanded = parseOAuthChallenge(challenge).scopes ?? demanded;
  };

  return {
    provider,
    tokens,
    tokenProvider: {
      ...tokenProvider,
      async onChallenge(challenge) {
        learn(challenge);
        return tokenProvider.onChallenge(challenge);
      },
    },
    async obtain(request) {
      learn(request.challenge);
      await tokens.keep(await run(await tokens.reload(), request));
    },
    async forget() {
      await tokens.drop();
      await provider.dpopKeys.forget();
    },
  };
}

/** Creates an auth provider that never involves a person. */
export function createNonInteractiveProvider(options: TokenProviderOptions, grant: Grant): AuthProvider {
  const { tokenProvider, forget } = createGrantProvider(options, grant);
  return { ...tokenProvider, signOut: forget };
}
