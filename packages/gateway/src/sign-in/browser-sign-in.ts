import { type Clock, FittingsError, type Logger } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomNonce,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import { decodePart } from '../access/access-token.js';
import { createIssuer } from '../access/issuer.js';
import type { OutboundFetch } from '../access/outbound-fetch.js';
import { principalOfSubject } from '../access/principal.js';

/** Finds out whose browser it is. */
export interface BrowserCheck {
  /**
   * Starts a sign-in of the browser: returns the page to send it to, and a function that takes the parameters of the redirect and
   * resolves with the principal of the person. Both reject if the issuer cannot be reached or refuses.
   */
  start(request: { readonly redirectUri: string; readonly state: string }): Promise<{
    readonly url: URL;
    readonly finish: (parameters: URLSearchParams) => Promise<string>;
  }>;
}

/** Options of {@link browserSignIn}. */
export interface BrowserSignInOptions {
  /** The issuer of the callers' access tokens. It must support OpenID Connect. */
  readonly issuer: string;
  /** The gateway as a client of the issuer. Its redirect URI is `{publicUrl}/sign-in/callback`. */
  readonly clientId: string;
  /** Default: none, a public client with PKCE. */
  readonly clientSecret?: string | undefined;
  /**
   * Returns the principal of a person from the claims of the ID token. It must return what `principalOf` of `oauthResource()` returns for
   * the access token of the same person. Default: issuer and subject; issuers with pairwise subjects need a function.
   */
  readonly principalOf?:
    | ((claims: {
        /** Identifier of the issuer. */
        readonly iss: string;
        /** Identifies the person at the issuer. */
        readonly sub: string;
        /** Any other claim of the ID token. */
        readonly [claim: string]: unknown;
      }) => string)
    | undefined;
  /** Scopes to request. Default `['openid']`. */
  readonly scopes?: readonly string[] | undefined;
  /** Sends requests to the issuer. Must not follow redirects. Default: the global `fetch`. */
  readonly fetch?: OutboundFetch | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives warnings about an issuer that cannot be reached. Default: none. */
  readonly logger?: Logger | undefined;
}

/**
 * Creates a check that signs the browser in at the issuer of the access tokens (authorization code with PKCE), and tells who the person
 * is. A person who is signed in there already sees no page. Throws `CONFIG_INVALID` for an invalid issuer.
 * @example
 * ```ts
 * const browser = browserSignIn({ issuer: 'https://login.example', clientId: 'gateway-pages' });
 * ```
 * @see https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 */
export function browserSignIn(options: BrowserSignInOptions): BrowserCheck {
  const { clientId, clientSecret, principalOf = principalOfSubject, scopes = ['openid'] } = options;
  const { clock = systemClock, fetch, logger } = options;
  const issuer = createIssuer(options.issuer, { clock, fetch, logger });
  const authentication = clientSecret === undefined ? None() : ClientSecretPost(clientSecret);
  return {
    async start({ redirectUri, state }) {
      const server = { ...(await issuer.metadata()) };
      const verifier = generateRandomCodeVerifier();
      const nonce = generateRandomNonce();
      const url = signInPage(server.authorization_endpoint, options.issuer);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return {
        url,
        async finish(answer) {
          const client = {
            client_id: clientId,
            [clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
            [clockTolerance]: 10,
          };
          const code = validateAuthResponse(server, client, answer, state);
          const response = await authorizationCodeGrantRequest(
            server,
            client,
            authentication,
            code,
            redirectUri,
            verifier,
            issuer.requests,
          );
          const tokens = await processAuthorizationCodeResponse(server, client, response, {
            expectedNonce: nonce,
            requireIdToken: true,
          });
          const { kid } = decodePart(tokens.id_token ?? '', 0);
          await validateApplicationLevelSignature(server, response, {
            ...issuer.requests,
            [customFetch]: async () =>
              Response.json({ keys: await issuer.keys(typeof kid === 'string' ? kid : undefined) }),
          });
          const claims = getValidatedIdTokenClaims(tokens);
          if (claims === undefined) throw new Error('The response of the token endpoint has no ID token.');
          return principalOf(claims);
        },
      };
    },
  };
}

function signInPage(endpoint: string | undefined, issuer: string): URL {
  const url = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The metadata of ${issuer} has no "authorization_endpoint".`,
  );
}
