import { FittingsError } from '@mcp-fittings/client-core';
import {
  authorizationCodeGrantRequest,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  processAuthorizationCodeResponse,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { pushRequest } from './pushed-authorization.js';
import type { InteractionSession } from '../interaction/interaction.js';
import { oauthError } from '../protocol/oauth-error.js';
import { createSentSecrets } from '../protocol/sent-secrets.js';
import { toLibraryClient } from '../registration/oauth-client.js';
import { requestToken, type TokenRequest } from '../tokens/token-endpoint.js';

/** What is asked for, and for whom. */
export interface AuthorizationRequest extends TokenRequest {
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** What the token is for. @see https://www.rfc-editor.org/rfc/rfc8707.html */
  readonly resource?: string | undefined;
  /** False: nobody can say which issuer the answer has to name. Default true. */
  readonly issuerKnown?: boolean | undefined;
  /** Accept a server that does not say that it supports S256. Off unless a person configured it. */
  readonly allowMissingPkceSupport: boolean;
  /** With an ID token only: how long ago the person may have signed in at most, seconds; the ID token has to say when. */
  readonly maxAge?: number | undefined;
  /** Sent as they are, e.g. `prompt`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

export interface AuthorizationCodeRequest extends Omit<AuthorizationRequest, 'redirectUri'> {
  readonly session: InteractionSession;
}

/** What has to be known again when the person comes back; it is worth a sign-in until then. */
export interface PendingAuthorization {
  readonly state: string;
  readonly verifier: string;
  readonly nonce?: string | undefined;
}

/**
 * The authorization code grant with PKCE, from the request to the token response. The issuer is recorded before the person
 * leaves, and compared letter by letter when the answer comes.
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

/** Where to send the person. */
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

/** What the person came back with, against the tokens. */
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
    validated = validateAuthResponse(as, toLibraryClient(client), answer, state);
  } catch (cause) {
    const sentSecrets = createSentSecrets();
    sentSecrets.addValues([state, verifier, ...(nonce === undefined ? [] : [nonce])]);
    throw oauthError(cause, `The sign-in at ${as.issuer} failed`, { server, sentSecrets });
  }
  return requestToken(
    request,
    'Exchanging the authorization code',
    (issuer, library, options) =>
      authorizationCodeGrantRequest(issuer, library, client.authenticate, validated, redirectUri, verifier, {
        ...options,
        additionalParameters: resourceOf(resource),
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
    throw new FittingsError('AUTH_DISCOVERY_FAILED', `${as.issuer} has no page to sign in at.`, {
      server: request.server,
      hint: 'It serves machines only; configure client credentials.',
    });
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
    ...resourceOf(resource),
    ...(nonce !== undefined && { nonce }),
    ...(request.maxAge !== undefined && { max_age: String(request.maxAge) }),
    ...(dpop !== undefined && { dpop_jkt: await dpop.calculateThumbprint() }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
  const shown = as.require_pushed_authorization_requests === true ? await pushRequest(request, all) : all;
  for (const [name, value] of Object.entries(shown)) url.searchParams.set(name, value);
  return url;
}

function resourceOf(resource: string | undefined): Record<string, string> {
  return resource === undefined ? {} : { resource };
}

function checkPkce(as: AuthorizationServer, { server, allowMissingPkceSupport }: AuthorizationRequest): void {
  if (as.code_challenge_methods_supported?.includes('S256') === true || allowMissingPkceSupport) return;
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `${as.issuer} does not say that it supports PKCE with S256, which protects the sign-in.`,
    {
      server,
      hint: 'Ask its owner to list code_challenge_methods_supported; or allow it for this server in the configuration.',
    },
  );
}

/** oauth4webapi lets these two pass. */
function checkAnswer(answer: URLSearchParams, server: string): void {
  const codes = answer.getAll('code').length;
  const errors = answer.getAll('error').length;
  if (codes + errors === 1) return;
  throw new FittingsError('AUTH_FAILED', 'The answer of the authorization server has no code, or several.', {
    server,
  });
}
