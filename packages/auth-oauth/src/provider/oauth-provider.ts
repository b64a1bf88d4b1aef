import { AuthRequiredError, type AuthProvider, type FittingsError } from '@mcp-fittings/client-core';
import { readChallenge } from '../discovery/challenge.js';
import { revoke } from '../flow/revoke.js';
import { checkClientMetadataUrl } from '../registration/client-metadata-url.js';
import { createClientFinder } from '../registration/find-client.js';
import { redirectAddress } from '../surface/redirect-address.js';
import { absentWhenCorrupt, forReplaceable, isCorrupt } from '../tokens/corrupt-store.js';
import { createTokenManager } from '../tokens/token-manager.js';
import { isAlive } from '../tokens/token-response.js';
import { createProviderDeps } from './context.js';
import type { OAuthProviderOptions } from './options.js';
import { refresh } from './refresh.js';
import { signIn } from './sign-in.js';
import { createStepUps } from './step-up.js';
import { authorizationOf, createTokenProvider } from './token-provider.js';
import { completeSignIn, startSignIn, type WebSignIn } from './web-sign-in.js';

/**
 * Signs the requests to one server with OAuth 2.1 access tokens of a person. Silent but for `signIn`: tokens are refreshed
 * ahead of their end, once for everybody who shares the store; what a person has to do ends in `AUTH_REQUIRED`.
 * Rejects with `AUTH_REQUIRED`, `AUTH_FAILED`, `AUTH_DISCOVERY_FAILED`, `AUTH_SCOPE_INSUFFICIENT`, with the codes of the
 * store and, when it may pass, with those of the network.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function createOAuthProvider(options: OAuthProviderOptions): AuthProvider & WebSignIn {
  checkClientMetadataUrl(options.clientMetadataUrl, options.server);
  if (options.redirectUri !== undefined) redirectAddress(options.redirectUri, options.server);
  const context = createProviderDeps(options);
  const { server, network, store, clock, logger } = context;
  const clients = createClientFinder({
    identity: options,
    network,
    store: forReplaceable(store),
    server,
    clock,
    keyOf: context.keyOf,
    owner: context.owner,
  });
  const stepUps = createStepUps(server, clock);
  const keeper = createTokenManager({
    server,
    store,
    key: context.keyOf('oauth'),
    clock,
    logger,
    renewal: {
      possible: (held) => held?.refreshToken !== undefined,
      run: (held) => refresh(context, clients, held),
      onRefusal: 'ask',
    },
  });
  const parts = { context, clients, keeper, options };
  /** The token that was of no use when a person was last asked for. */
  let ended: string | undefined;
  const required = (challenge: AuthRequiredError['challenge'], cause?: FittingsError): AuthRequiredError => {
    ended = keeper.held?.accessToken;
    return new AuthRequiredError(
      `"${server}" wants you to sign in${cause === undefined ? '.' : `: ${cause.message}`}`,
      {
        server,
        challenge,
        cause,
        hint: 'Call host.signIn(), or signIn() of the provider.',
      },
    );
  };
  /** What can't be read is not wiped, and only a person can help. */
  const explained = <T>(work: Promise<T>, challenge?: AuthRequiredError['challenge']): Promise<T> =>
    work.catch((error: unknown) => {
      throw isCorrupt(error) ? required(challenge, error) : error;
    });
  const silent = createTokenProvider({
    context,
    keeper,
    startsAlone: false,
    exhausted: required,
    async widen(challenge, record) {
      stepUps.check(readChallenge(challenge).scopes, record?.requested ?? []);
      throw required(challenge);
    },
  });

  return {
    ...silent,
    headers: (request) => explained(silent.headers(request)),
    onChallenge: (challenge) => explained(silent.onChallenge(challenge), challenge),
    async hasNewSignIn(challenge) {
      const record = await keeper.reload().catch(absentWhenCorrupt);
      if (record === undefined || authorizationOf(record) === challenge?.refused) return false;
      return isAlive(record, clock.now()) || (record.accessToken !== ended && keeper.renewable(record));
    },
    async identity() {
      const record = await keeper.current();
      // Records of before have no name until they are refreshed.
      return record && (record.signIn ?? `${record.issuer} ${record.obtainedAt}`);
    },
    async signIn(request) {
      context.tryAgain();
      await signIn(parts, request);
      if (request.challenge?.status === 403) stepUps.done();
    },
    startSignIn(request) {
      context.tryAgain();
      return startSignIn(parts, request);
    },
    completeSignIn: (callback, request) => completeSignIn(parts, callback, request),
    async signOut() {
      const record = await keeper.reload().catch(absentWhenCorrupt);
      // Gone here whatever the authorization server says.
      await keeper.drop();
      await context.proofs.forget();
      stepUps.forget();
      if (record === undefined) return;
      await revoke({ record, network, server, clients, logger, find: () => context.find({ record }) });
    },
  };
}
