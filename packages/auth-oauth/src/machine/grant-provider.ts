import {
  FittingsError,
  type AuthChallenge,
  type AuthProvider,
  type SignInOptions,
} from '@mcp-fittings/client-core';
import type { DPoPHandle, TokenEndpointResponse } from 'oauth4webapi';
import { readChallenge } from '../discovery/challenge.js';
import {
  createProviderDeps,
  recordContext,
  type ProviderDeps,
  type TokenProviderOptions,
} from '../provider/context.js';
import { atKnownServer, type KnownServer } from '../provider/known-server.js';
import { createTokenProvider, type SilentProvider } from '../provider/token-provider.js';
import { union } from '../scopes.js';
import { createTokenManager, type TokenManager } from '../tokens/token-manager.js';
import type { TokenRecord } from '../tokens/token-record.js';
import { toRecord } from '../tokens/token-response.js';

/** How a token is got without the server's own sign-in: the one thing in which such grants differ. */
export interface Grant {
  /** Part of the store's key, so that two kinds of tokens for one server do not meet. */
  readonly kind: string;
  run(request: GrantRequest): Promise<GrantedToken>;
  /** Whether a token that is held still counts. Default: every one. */
  readonly accepts?: ((held: TokenRecord) => boolean) | undefined;
}

export interface GrantRequest {
  readonly context: ProviderDeps;
  readonly discovered: KnownServer;
  readonly scopes: readonly string[];
  readonly dpop: DPoPHandle | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface GrantedToken {
  readonly response: TokenEndpointResponse;
  /** The client that it was given to. */
  readonly clientId: string;
  /** The sign-in elsewhere that it was derived from. */
  readonly session?: string | undefined;
}

/** The parts of a provider that gets its tokens by a {@link Grant}. */
export interface GrantProvider {
  readonly context: ProviderDeps;
  readonly keeper: TokenManager;
  readonly silent: SilentProvider;
  /** Gets another token now, for what the challenge demands, and keeps it. */
  obtain(request: SignInOptions): Promise<void>;
  forget: NonNullable<AuthProvider['signOut']>;
}

/**
 * The first 401 says where to get a token, and every later one is got ahead of time, by the same transaction as a refresh.
 * What the authorization server refuses is thrown, and not tried again for a while.
 */
export function createGrantProvider(options: TokenProviderOptions, grant: Grant): GrantProvider {
  const context = createProviderDeps(options);
  const { server, store, clock, logger } = context;
  let demanded: readonly string[] | undefined;

  const run = async (
    held: TokenRecord | undefined,
    { challenge, signal }: SignInOptions = {},
  ): Promise<TokenRecord> => {
    const at = async (discovered: KnownServer): Promise<TokenRecord> => {
      const scopes = union(
        held?.requested ?? [],
        options.scopes ?? demanded ?? discovered.scopes ?? [],
        demanded ?? [],
      );
      const dpop = await context.proofFor(discovered);
      const granted = await grant.run({ context, discovered, scopes, dpop, signal });
      // Nobody has a use for one: the grant itself can be repeated.
      const { refresh_token: _, ...access } = granted.response;
      return toRecord(access, {
        ...recordContext(context, discovered, granted.clientId, scopes),
        session: granted.session,
      });
    };
    if (challenge !== undefined) return at(await context.find({ record: held, challenge, signal }));
    return atKnownServer(context, held, at);
  };

  const keeper = createTokenManager({
    server,
    store,
    key: context.keyOf(grant.kind),
    clock,
    logger,
    renewal: { possible: () => true, run, onRefusal: 'throw' },
    accepts: grant.accepts,
  });

  const silent = createTokenProvider({
    context,
    keeper,
    startsAlone: true,
    exhausted: () =>
      new FittingsError(
        'AUTH_REJECTED',
        `"${server}" refuses the tokens that its authorization server gives.`,
        {
          server,
        },
      ),
    async widen(challenge, record) {
      const { scopes } = readChallenge(challenge);
      if (scopes === undefined || scopes.every((scope) => record?.requested.includes(scope) === true)) {
        throw new FittingsError(
          'AUTH_SCOPE_INSUFFICIENT',
          `"${server}" demands more than this client may do.`,
          {
            server,
            delivery: 'rejected',
            hint: 'Ask the owner of the authorization server for the missing scopes.',
          },
        );
      }
      demanded = scopes;
      await context.find({ record, challenge });
      await keeper.renew(record);
    },
  });

  const learn = (challenge: AuthChallenge | undefined): void => {
    demanded = readChallenge(challenge).scopes ?? demanded;
  };

  return {
    context,
    keeper,
    silent: {
      ...silent,
      async onChallenge(challenge) {
        learn(challenge);
        return silent.onChallenge(challenge);
      },
    },
    async obtain(request) {
      learn(request.challenge);
      await keeper.keep(await run(await keeper.reload(), request));
    },
    async forget() {
      await keeper.drop();
      await context.proofs.forget();
    },
  };
}
