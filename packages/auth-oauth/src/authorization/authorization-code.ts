import { FittingsError } from '@mcp-fittings/client-core';
import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
  type AuthorizationServer,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import type { InteractionSession } from '../interaction/interaction.js';
import { oauthError } from '../protocol/oauth-error.js';
import { SentSecrets } from '../protocol/endpoint.js';
import { requestToken, targetParameters, type TokenRequest } from '../tokens/token-endpoint.js';
import { pushRequest } from './pushed-authorization.js';

/** An authorization request, and the token request that follows it. */
export interface AuthorizationRequest extends TokenRequest {
  /** Address to which the authorization server redirects the browser. */
  readonly redirectUri: string;
  /** The scopes to request; empty to request none. */
  readonly scopes: readonly string[];
  /** The resource that the token is for. @see https://www.rfc-editor.org/rfc/rfc8707.html */
  readonly resource?: string | undefined;
  /** False to accept any `iss` in the authorization response, if the issuer is not known. Default true. */
  readonly issuerKnown?: boolean | undefined;
  /** If true, a server is accepted that does not announce PKCE with S256. Set it only if the person configured it. */
  readonly allowMissingPkceSupport: boolean;
  /** Most seconds since the person has authenticated. Checked in the ID token, so it requires `idToken`. Default: any time. */
  readonly maxAge?: number | undefined;
  /** Further parameters of the authorization request, for example `prompt`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** A request of {@link authorizationCodeGrant}. */
export interface AuthorizationCodeRequest extends Omit<AuthorizationRequest, 'redirectUri'> {
  /** Sends the person to the sign-in page, and has the redirect URI. */
  readonly session: InteractionSession;
}

/** Values that the redirect is checked against. Secret until then: anyone who has them can complete the sign-in. */
export interface PendingAuthorization {
  readonly state: string;
  readonly verifier: string;
  readonly nonce?: string | undefined;
}

/**
 * Runs the authorization code grant with PKCE, from the authorization request to the token response. The `iss` of the
 * redirect must be the issuer that the person was sent to.
 *
 * Rejects with `AUTH_DISCOVERY_FAILED` if the server lacks an authorization endpoint or PKCE, with `AUTH_FAILED` if it
 * refuses (`details.oauthError` has its error code), with `TIMEOUT` or `ABORTED`, and with the codes of the network.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1
 * @see https://www.rfc-editor.org/rfc/rfc9207.html
 */
export async function authorizationCodeGrant(
  request: AuthorizationCodeRequest,
): Promise<TokenEndpointResponse> {
  const { session } = request;
  const withUri = { ...request, redirectUri: session.redirectUri };
  const { url, pending } = await startAuthorization(withUri);
  const answer = await session.authorize({ url, state: pending.state });
  return redeemCode(withUri, pending, answer);
}

/** Creates the URL of the sign-in page, and what the redirect will be checked with. */
export async function startAuthorization(
  request: AuthorizationRequest,
): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }> {
  checkPkce(request.authorizationServer, request);
  const pending = {
    state: generateRandomState(),
    verifier: generateRandomCodeVerifier(),
    nonce: request.idToken === true ? generateRandomNonce() : undefined,
  };
  return { url: await authorizationUrl(request, pending), pending };
}

/** Checks the parameters of the redirect, and redeems the code for tokens. */
export async function redeemCode(
  request: AuthorizationRequest,
  { state, verifier, nonce }: PendingAuthorization,
  parameters: URLSearchParams,
): Promise<TokenEndpointResponse> {
  const { authorizationServer: as, client, redirectUri, server, resource } = request;
  const answer = new URLSearchParams(parameters);
  checkAnswer(answer, server);
  if (request.issuerKnown === false) answer.delete('iss');
  let validated: URLSearchParams;
  try {
    validated = validateAuthResponse(as, { client_id: client.clientId }, answer, state);
  } catch (cause) {
    const sentSecrets = new SentSecrets();
    sentSecrets.addValues([state, verifier, ...(nonce === undefined ? [] : [nonce])]);
    throw oauthError(cause, `The sign-in at ${as.issuer} failed`, { server, sentSecrets });
  }
  return requestToken(
    request,
    'Exchanging the authorization code',
    (issuer, library, options) =>
      authorizationCodeGrantRequest(issuer, library, client.authenticate, validated, redirectUri, verifier, {
        ...options,
        additionalParameters: targetParameters(resource),
      }),
    (issuer, library, response) =>
      processAuthorizationCodeResponse(
        issuer,
        library,
        response,
        nonce === undefined
          ? {}
          : {
              expectedNonce: nonce,
              requireIdToken: true,
              ...(request.maxAge !== undefined && { maxAge: request.maxAge }),
            },
      ),
  );
}

async function authorizationUrl(request: AuthorizationRequest, pending: PendingAuthorization): Promise<URL> {
  const { authorizationServer: as, client, redirectUri, scopes, resource, parameters = {}, dpop } = request;
  const { state, verifier, nonce } = pending;
  if (as.authorization_endpoint === undefined) {
    throw new FittingsError(
      'AUTH_DISCOVERY_FAILED',
      `${as.issuer} has no authorization endpoint, so no one can sign in there.`,
      {
        server: request.server,
        hint: 'It may support client credentials only: set "oauth.grant" to "client_credentials".',
      },
    );
  }
  const url = new URL(as.authorization_endpoint);
  const all: Readonly<Record<string, string>> = {
    ...parameters,
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...targetParameters(resource, scopes),
    ...(nonce !== undefined && { nonce }),
    ...(request.maxAge !== undefined && { max_age: String(request.maxAge) }),
    ...(dpop !== undefined && { dpop_jkt: await dpop.calculateThumbprint() }),
  };
  const shown = as.require_pushed_authorization_requests === true ? await pushRequest(request, all) : all;
  for (const [name, value] of Object.entries(shown)) url.searchParams.set(name, value);
  return url;
}

function checkPkce(as: AuthorizationServer, { server, allowMissingPkceSupport }: AuthorizationRequest): void {
  if (as.code_challenge_methods_supported?.includes('S256') === true || allowMissingPkceSupport) return;
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `${as.issuer} does not announce support for PKCE with S256, which protects the sign-in.`,
    {
      server,
      hint: 'Ask its owner to add "code_challenge_methods_supported" to its metadata, or set "oauth.allowMissingPkceSupport" for this server.',
    },
  );
}

/** Cases that oauth4webapi accepts. */
function checkAnswer(answer: URLSearchParams, server: string): void {
  const codes = answer.getAll('code').length;
  const errors = answer.getAll('error').length;
  if (codes + errors === 1) return;
  throw new FittingsError(
    'AUTH_FAILED',
    `The redirect that answers the sign-in to "${server}" must have one "code" or one "error" parameter.`,
    {
      server,
    },
  );
}
