import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import {
  allowInsecureRequests,
  customFetch,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  validateApplicationLevelSignature,
  type AuthorizationServer,
  type Client,
  type DPoPHandle,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { guardedFetch, type Fetcher, type GuardedRequest } from '../protocol/guarded-fetch.js';
import { isJsonType, jsonOnly } from '../protocol/json.js';
import { oauthError } from '../protocol/oauth-error.js';
import { createSentSecrets, type SentSecrets } from '../protocol/sent-secrets.js';
import { toLibraryClient, type OAuthClient } from '../registration/oauth-client.js';

/** A request to a token endpoint, of any grant. */
export interface TokenRequest {
  /** Sends the request. */
  readonly network: Fetcher;
  /** Name of the MCP server that the token is for, for messages. */
  readonly server: string;
  /** Metadata of the authorization server. */
  readonly authorizationServer: AuthorizationServer;
  /** The client that requests the token, and how it authenticates. */
  readonly client: OAuthClient;
  /** Signs the DPoP proof; the token is then bound to its key. Default: a bearer token. */
  readonly dpop?: DPoPHandle | undefined;
  /**
   * Whether to keep the ID token of the response, and to check its claims and signature. If the keys of the issuer cannot
   * be read at the moment, the response is returned without it, so that a rotated refresh token is not lost. Default
   * `false`: access does not need it.
   */
  readonly idToken?: boolean | undefined;
  /** Aborts the request, which rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of every request of oauth4webapi. */
interface LibraryOptions {
  [customFetch]: (url: string, options: GuardedRequest) => Promise<Response>;
  [allowInsecureRequests]: boolean;
  DPoP?: DPoPHandle;
  signal?: AbortSignal;
}

/**
 * Sends one request to a token endpoint and reads the response. Rejects with `SERVER_ERROR` or `RATE_LIMITED` (retryable)
 * if the endpoint fails, and with `AUTH_FAILED` if it refuses; `details` has the `status` and, if it sent one, the
 * `oauthError`.
 */
export async function requestToken(
  request: TokenRequest,
  what: string,
  send: (as: AuthorizationServer, client: Client, options: LibraryOptions) => Promise<Response>,
  read: (as: AuthorizationServer, client: Client, response: Response) => Promise<TokenEndpointResponse>,
): Promise<TokenEndpointResponse> {
  const { authorizationServer: as, client, server } = request;
  const library = toLibraryClient(client);
  const sentSecrets = createSentSecrets();
  const once = async (): Promise<TokenEndpointResponse> => {
    const response = jsonOnly(await send(as, library, libraryOptions(request, sentSecrets)), as, server);
    await checkStatus(response, as, server);
    if (request.idToken !== true) return read(as, library, await withoutIdToken(response));
    const answer = await read(as, library, response);
    if (answer.id_token === undefined || (await isSigned(request, response))) return answer;
    const { id_token: _, ...rest } = answer;
    return rest;
  };
  try {
    return await once().catch((error: unknown) => {
      // The library has kept the nonce of the response, and uses it in the next proof.
      if (request.dpop !== undefined && isDPoPNonceError(error)) return once();
      throw error;
    });
  } catch (cause) {
    throw oauthError(cause, `${what} at ${as.issuer} failed`, { server, sentSecrets });
  }
}

/**
 * Requests a token with an extension grant, such as a JWT assertion (RFC 7523) or a token exchange (RFC 8693). `what`
 * begins the message of an error: "`what` at `issuer` failed". `recognizedTokenTypes` lists values of `token_type` besides
 * `bearer` and `dpop`, as oauth4webapi takes them.
 *
 * Rejects with `AUTH_FAILED` if the server refuses (`details.oauthError` has its error code), with `SERVER_ERROR`,
 * `RATE_LIMITED`, and the codes of the network.
 * @example
 * ```ts
 * const response = await requestExtensionGrant(
 *   { network, server, authorizationServer, client },
 *   'Redeeming the assertion',
 *   JWT_BEARER_GRANT,
 *   { assertion, resource },
 * );
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-4.5
 */
export function requestExtensionGrant(
  request: TokenRequest,
  what: string,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
  recognizedTokenTypes: Readonly<Record<string, () => void>> = {},
): Promise<TokenEndpointResponse> {
  return requestToken(
    request,
    what,
    (as, client, options) =>
      genericTokenEndpointRequest(
        as,
        client,
        request.client.authenticate,
        grantType,
        { ...parameters },
        options,
      ),
    (as, client, response) =>
      processGenericTokenEndpointResponse(as, client, response, {
        recognizedTokenTypes: { ...recognizedTokenTypes },
      }),
  );
}

/** Returns the options of a request of oauth4webapi. */
export function libraryOptions(
  { network, dpop, signal }: TokenRequest,
  sentSecrets?: SentSecrets,
): LibraryOptions {
  return {
    [customFetch]: guardedFetch(network, sentSecrets),
    // The network decides by address, see guardedFetch.
    [allowInsecureRequests]: true,
    ...(dpop !== undefined && { DPoP: dpop }),
    ...(signal !== undefined && { signal }),
  };
}

/**
 * Removes the ID token that OpenID Connect servers add. It is not needed for access, and its key, algorithm or clock must not
 * make a sign-in fail.
 */
async function withoutIdToken(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const text = await response.text();
  let body = text;
  try {
    const document: unknown = JSON.parse(text);
    if (isRecord(document)) {
      const { id_token: _, ...rest } = document;
      body = JSON.stringify(rest);
    }
  } catch {
    // Not JSON: the library reports it.
  }
  return new Response(body, { status: response.status, headers: response.headers });
}

/** Resolves with false if the keys of the issuer cannot be read at the moment; rejects if the signature is invalid. */
async function isSigned(request: TokenRequest, response: Response): Promise<boolean> {
  const fetchKeys = guardedFetch(request.network);
  try {
    await validateApplicationLevelSignature(request.authorizationServer, response, {
      ...libraryOptions(request),
      async [customFetch](url, options) {
        const keys = await fetchKeys(url, options);
        if (keys.status >= 500)
          throw new FittingsError('SERVER_ERROR', `${url} answered with status ${keys.status}.`);
        return keys;
      },
    });
    return true;
  } catch (error) {
    if (error instanceof FittingsError && error.kind === 'network-temporary') return false;
    throw error;
  }
}

async function checkStatus(response: Response, as: AuthorizationServer, server: string): Promise<void> {
  const { status } = response;
  if (status === 429 || status >= 500) {
    throw new FittingsError(
      status === 429 ? 'RATE_LIMITED' : 'SERVER_ERROR',
      `The token endpoint of ${as.issuer} answered with status ${status}.`,
      { server, details: { status } },
    );
  }
  if (status < 400 || status === 401) return;
  // A refusal that does not have the form of RFC 6749 keeps its status, which tells a dead token from a server in trouble.
  const isJson =
    isJsonType(response) &&
    (await response
      .clone()
      .json()
      .then((body: unknown) => typeof body === 'object' && body !== null && 'error' in body)
      .catch(() => false));
  if (!isJson) {
    throw new FittingsError(
      'AUTH_FAILED',
      `The token endpoint of ${as.issuer} answered with status ${status} and no OAuth error.`,
      {
        server,
        details: { status },
      },
    );
  }
}

/**
 * Refreshes a token. Does not store the response: a rotated refresh token in it replaces the old one, which is used up.
 * Rejects with `AUTH_FAILED` if the server refuses (`details.oauthError` is `invalid_grant` for a dead refresh token),
 * `SERVER_ERROR`, `RATE_LIMITED`, or the codes of the network.
 * @example
 * ```ts
 * const response = await refreshTokenGrant({ network, server, authorizationServer, client }, refreshToken, resource);
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-6
 */
export function refreshTokenGrant(
  request: TokenRequest,
  refreshToken: string,
  resource?: string,
): Promise<TokenEndpointResponse> {
  return requestToken(
    request,
    'Refreshing the token',
    (as, library, options) =>
      refreshTokenGrantRequest(as, library, request.client.authenticate, refreshToken, {
        ...options,
        ...(resource !== undefined && { additionalParameters: { resource } }),
      }),
    processRefreshTokenResponse,
  );
}
