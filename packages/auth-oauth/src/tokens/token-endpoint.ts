import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  customFetch,
  type DPoPHandle,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateApplicationLevelSignature,
} from 'oauth4webapi';
import { type Fetcher, guardedFetch, type GuardedRequest } from '../protocol/guarded-fetch.js';
import { isJsonType, jsonOnly } from '../protocol/json.js';
import { oauthError } from '../protocol/oauth-error.js';
import { createSentSecrets, type SentSecrets } from '../protocol/sent-secrets.js';
import { toLibraryClient, type OAuthClient } from '../registration/oauth-client.js';

export interface TokenRequest {
  readonly network: Fetcher;
  readonly server: string;
  readonly authorizationServer: AuthorizationServer;
  readonly client: OAuthClient;
  /** Signs a proof that the token shall be bound to. */
  readonly dpop?: DPoPHandle | undefined;
  /**
   * Keep the ID token of the answer, and check its claims and its signature. One that can't be verified for now is left
   * out: what else came with it, such as a rotated refresh token, must not be lost. Default false: nobody needs it for
   * access.
   */
  readonly idToken?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options that every request of oauth4webapi takes. */
interface LibraryOptions {
  [customFetch]: (url: string, options: GuardedRequest) => Promise<Response>;
  [allowInsecureRequests]: boolean;
  DPoP?: DPoPHandle;
  signal?: AbortSignal;
}

/**
 * One request to a token endpoint and its answer. Rejects with `SERVER_ERROR` or `RATE_LIMITED` (retryable) when the
 * endpoint is in trouble, with `AUTH_FAILED` when it refuses; `details` has `status` and, where it gave one, `oauthError`.
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
      // The library has kept the nonce of the answer, and puts it into the next proof.
      if (request.dpop !== undefined && isDPoPNonceError(error)) return once();
      throw error;
    });
  } catch (cause) {
    throw oauthError(cause, `${what} at ${as.issuer} failed`, { server, sentSecrets });
  }
}

/** A grant that oauth4webapi has no function of its own for. */
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

/** What every request to an authorization server is made with. */
export function libraryOptions(
  { network, dpop, signal }: TokenRequest,
  sentSecrets?: SentSecrets,
): LibraryOptions {
  return {
    [customFetch]: guardedFetch(network, sentSecrets),
    // Decided by address in the network's fetch, see there.
    [allowInsecureRequests]: true,
    ...(dpop !== undefined && { DPoP: dpop }),
    ...(signal !== undefined && { signal }),
  };
}

/**
 * Servers that speak OpenID Connect add an ID token, for somebody who asks who the person is. We do not, and its key,
 * algorithm or clock must not be able to fail a sign-in.
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
    // Not JSON: the library says so.
  }
  return new Response(body, { status: response.status, headers: response.headers });
}

/** False when the keys of the issuer can't be had for now; rejects when the signature is not theirs. */
async function isSigned(request: TokenRequest, response: Response): Promise<boolean> {
  const fetchKeys = guardedFetch(request.network);
  try {
    await validateApplicationLevelSignature(request.authorizationServer, response, {
      ...libraryOptions(request),
      async [customFetch](url, options) {
        const keys = await fetchKeys(url, options);
        if (keys.status >= 500) throw new FittingsError('SERVER_ERROR', `${url} answered ${keys.status}.`);
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
      `The token endpoint of ${as.issuer} answered ${status}.`,
      { server, details: { status } },
    );
  }
  if (status < 400 || status === 401) return;
  // Refusals in other words than those of RFC 6749 keep their status, for whoever has to tell dead from troubled.
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
      `The token endpoint of ${as.issuer} answered ${status} and nothing else.`,
      {
        server,
        details: { status },
      },
    );
  }
}

/** One refresh token grant. @see https://www.rfc-editor.org/rfc/rfc6749.html#section-6 */
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
