import {
  type AuthChallenge,
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
} from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { parseRedirectUri } from '../interaction/redirect-uri.js';
import { isSameIssuer, parseOAuthChallenge } from '../protocol/values.js';
import { checkClientMetadataUrl } from '../registration/client-metadata-url.js';
import { ClientRegistry } from './client-registry.js';
import { absentWhenCorrupt, forReplaceable, isCorrupt } from '../tokens/corrupt-store.js';
import { revokeTokens } from './revoke.js';
import { refreshTokenGrant } from '../tokens/token-endpoint.js';
import { authorizationOf, createTokenRecord, isAlive, type TokenRecord } from '../tokens/token-record.js';
import type { OAuthProviderOptions } from '../options.js';
import type { Platform } from '../platform.js';
import { ProviderContext } from './provider-context.js';
import { signIn, type SignInContext } from './sign-in.js';
import { StepUpLimiter } from './step-up-limiter.js';
import { TokenProvider } from './token-provider.js';
import { completeSignIn, startSignIn, type WebSignIn } from './web-sign-in.js';

/** Creates the provider of `createOAuthProvider()` on a platform. */
export function createProvider(options: OAuthProviderOptions, platform: Platform): AuthProvider & WebSignIn {
  checkClientMetadataUrl(options.clientMetadataUrl, options.server);
  if (options.redirectUri !== undefined) parseRedirectUri(options.redirectUri, options.server);
  const provider = new ProviderContext(options, platform);
  const { server, network, store, clock, logger, discovery } = provider;
  const clients = new ClientRegistry(provider, options, forReplaceable(store));
  const stepUps = new StepUpLimiter(server, clock);
  const tokens = provider.createTokenManager('oauth', {
    possible: (held) => held?.refreshToken !== undefined,
    run: (held) => refresh(provider, clients, held),
    onRefusal: 'ask',
  });
  const context: SignInContext = { provider, clients, tokens, stepUps, options };
  /** The token that did not help when a sign-in was last required. */
  let ended: string | undefined;
  const signInRequired = (challenge: AuthChallenge | undefined, cause?: FittingsError): AuthRequiredError => {
    ended = tokens.held?.accessToken;
    return new AuthRequiredError(
      `"${server}" requires you to sign in${cause === undefined ? '.' : `: ${cause.message}`}`,
      { server, challenge, cause, hint: 'Call host.signIn(), or signIn() of the provider.' },
    );
  };
  /** A stored token that cannot be read is not deleted; only a new sign-in replaces it. */
  const requiringSignIn = <T>(work: Promise<T>, challenge?: AuthChallenge): Promise<T> =>
    work.catch((error: unknown) => {
      throw isCorrupt(error) ? signInRequired(challenge, error) : error;
    });
  const tokenProvider = new TokenProvider(provider, tokens, {
    canStartSilently: false,
    onUnrecoverable: signInRequired,
    async onInsufficientScope(challenge, record) {
      const { scopes } = parseOAuthChallenge(challenge);
      stepUps.check(scopes, record?.requested ?? []);
      ended = record?.accessToken;
      throw record === undefined
        ? signInRequired(challenge)
        : scopeRequired(server, challenge, record, scopes);
    },
  });

  return {
    headers: (request) => requiringSignIn(tokenProvider.headers(request)),
    onDpopNonce: (answer) => tokenProvider.onDpopNonce(answer),
    onChallenge: (challenge) => requiringSignIn(tokenProvider.onChallenge(challenge), challenge),
    async hasNewSignIn(challenge) {
      const record = await tokens.reload().catch(absentWhenCorrupt);
      if (record === undefined || authorizationOf(record) === challenge?.refused) return false;
      return isAlive(record, clock.now()) || (record.accessToken !== ended && tokens.renewable(record));
    },
    async identity() {
      const record = await tokens.current();
      // Records of earlier versions have no sign-in id until their token is refreshed.
      return record && (record.signIn ?? `${record.issuer} ${record.obtainedAt}`);
    },
    signIn(request) {
      discovery.retryFailedIssuers();
      return signIn(context, request);
    },
    startSignIn(request) {
      discovery.retryFailedIssuers();
      return startSignIn(context, request);
    },
    completeSignIn: (callback, request) => completeSignIn(context, callback, request),
    async signOut() {
      const record = await tokens.reload().catch(absentWhenCorrupt);
      // Locally first: the sign-out counts whatever the authorization server answers.
      await tokens.drop();
      await provider.dpopKeys.forget();
      stepUps.clear();
      if (record === undefined) return;
      const discover = () => discovery.discover({ record });
      await revokeTokens({ record, network, server, clients, logger, discover });
    },
  };
}

/**
 * Refreshes a token at the authorization server that issued it, as the client that it was issued to. If the MCP server names
 * another authorization server since, that one is not shown the refresh token.
 */
async function refresh(
  { server, network, clock, discovery, dpopKeys }: ProviderContext,
  clients: ClientRegistry,
  record: TokenRecord | undefined,
): Promise<TokenRecord> {
  const refreshToken = record?.refreshToken;
  if (record === undefined || refreshToken === undefined) throw foreignToken(server);
  return discovery.request(record, async (discovered) => {
    const { authorizationServer, resourceParameter: resource } = discovered;
    const { clientId, requested, scopes } = record;
    if (!isSameIssuer(authorizationServer.issuer, record.issuer)) throw foreignToken(server);
    const client = await clients.find({ authorizationServer, clientId, scopes: requested });
    if (client?.clientId !== clientId) throw foreignToken(server);
    const dpop = record.tokenType === 'DPoP' ? await dpopKeys.handle(record.signIn ?? '') : undefined;
    const request = { network, server, authorizationServer, client, dpop };
    const response = await refreshTokenGrant(request, refreshToken, { resource, scopes });
    const now = clock.now();
    return createTokenRecord(response, { server, discovered, clientId, requested, now, previous: record });
  });
}

/** Status 400, as if the authorization server had refused the refresh token: the one that is named now does not know it. */
function foreignToken(server: string): FittingsError {
  return new FittingsError(
    'AUTH_FAILED',
    `The sign-in to "${server}" belongs to another authorization server.`,
    {
      server,
      details: { status: 400 },
    },
  );
}

/** The error for a person who is signed in, with too few scopes. */
function scopeRequired(
  server: string,
  challenge: AuthChallenge,
  { scopes: granted }: TokenRecord,
  needed: readonly string[] = [],
): AuthRequiredError {
  const missing = needed.filter((scope) => !granted.includes(scope));
  const names = (missing.length > 0 ? missing : needed).map((scope) => `"${scope}"`);
  const what =
    names.length === 0
      ? 'more scopes than your sign-in includes'
      : `the ${names.length === 1 ? 'scope' : 'scopes'} ${sanitizeText(names.join(', '), { maxLength: 200 })}, which your sign-in does not include`;
  return new AuthRequiredError(`"${server}" requires ${what}.`, {
    server,
    challenge,
    hint: 'Call host.signIn(), or signIn() of the provider, to grant more.',
  });
}
