import { FittingsError } from '@mcp-fittings/client-core';
import { toBase64 } from '@mcp-fittings/toolbox/text';
import {
  allowInsecureRequests,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  modifyAssertion,
  None,
  PrivateKeyJwt,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  validateApplicationLevelSignature,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  type DPoPHandle,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import type { OAuthProviderOptions } from '../options.js';
import { oauthError, oauthErrorCode } from '../protocol/oauth-error.js';
import {
  asResponse,
  type Fetcher,
  guardedFetch,
  type GuardedRequest,
  readAnswer,
  SentSecrets,
  temporaryCode,
} from '../protocol/endpoint.js';

/** The client that the host is to one authorization server. */
export interface OAuthClient {
  /** Issuer of the authorization server that knows the client; its id has no meaning elsewhere. */
  readonly issuer: string;
  /** Sent as `client_id`. */
  readonly clientId: string;
  /** Source of the client. The server may forget `registered` clients, which are then registered again. */
  readonly origin: 'configured' | 'metadata-document' | 'registered';
  /** Authenticates requests to the token endpoint; see {@link clientAuthentication}. */
  readonly authenticate: ClientAuth;
}

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
   * If true, the ID token of the response is kept, and its claims and signature are checked. If the keys of the issuer cannot be read at
   * the moment, the response is returned without it, so that a rotated refresh token is not lost. Default `false`: access does not need it.
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
  const library = { client_id: client.clientId };
  const failed = `${what} at ${as.issuer} failed`;
  return callEndpoint(
    request,
    failed,
    (options) => send(as, library, options),
    async (document, status) => {
      if (typeof document['access_token'] !== 'string') {
        throw new FittingsError('AUTH_FAILED', `${failed}: the answer has no access token.`, {
          server,
          details: { status },
        });
      }
      // Not needed for access, and its key, algorithm or clock must not make a sign-in fail.
      const { id_token: idToken, ...access } = document;
      if (request.idToken !== true || idToken === undefined) return read(as, library, asResponse(access));
      const whole = asResponse(document);
      const answer = await read(as, library, whole);
      if (await isSigned(request, whole)) return answer;
      const { id_token: _, ...rest } = answer;
      return rest;
    },
  );
}

/**
 * Sends one request of oauth4webapi to an endpoint of an authorization server, and reads the document of its answer. Rejects as
 * {@link readAnswer} does; `failed` begins the message of an error.
 */
export async function callEndpoint<T>(
  request: Pick<TokenRequest, 'network' | 'server' | 'authorizationServer' | 'dpop' | 'signal'>,
  failed: string,
  send: (options: LibraryOptions) => Promise<Response>,
  read: (document: Record<string, unknown>, status: number) => Promise<T>,
): Promise<T> {
  const { server, authorizationServer, dpop } = request;
  const sentSecrets = new SentSecrets();
  const about = { issuer: authorizationServer.issuer, server, what: failed, sentSecrets };
  const once = async (): Promise<T> => {
    const response = await send(libraryOptions(request, sentSecrets));
    return read(await readAnswer(response, about), response.status);
  };
  try {
    return await once().catch((error: unknown) => {
      // The library has kept the nonce of the response, and uses it in the next proof.
      if (dpop !== undefined && oauthErrorCode(error) === 'use_dpop_nonce') return once();
      throw error;
    });
  } catch (cause) {
    throw oauthError(cause, failed, about);
  }
}

/** Returns the parameters that say what a token is for. */
export function targetParameters(
  resource: string | undefined,
  scopes: readonly string[] = [],
): Record<string, string> {
  return {
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
}

/**
 * Requests a token with an extension grant, such as a JWT assertion (RFC 7523) or a token exchange (RFC 8693). `what`
 * begins the message of an error: "`what` at `issuer` failed". `recognizedTokenTypes` lists values of `token_type` besides
 * `bearer` and `dpop`, as oauth4webapi takes them.
 *
 * Rejects with `AUTH_FAILED` if the server refuses (`details.oauthError` has its error code), with `SERVER_ERROR`,
 * `RATE_LIMITED`, and the codes of the network.
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
function libraryOptions(
  { network, dpop, signal }: Pick<TokenRequest, 'network' | 'dpop' | 'signal'>,
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

/** Resolves with false if the keys of the issuer cannot be read at the moment; rejects if the signature is invalid. */
async function isSigned(request: TokenRequest, response: Response): Promise<boolean> {
  const fetchKeys = guardedFetch(request.network);
  try {
    await validateApplicationLevelSignature(request.authorizationServer, response, {
      ...libraryOptions(request),
      async [customFetch](url, options) {
        const keys = await fetchKeys(url, options);
        const temporary = temporaryCode(keys.status);
        if (temporary !== undefined)
          throw new FittingsError(temporary, `${url} answered with status ${keys.status}.`);
        return keys;
      },
    });
    return true;
  } catch (error) {
    if (error instanceof FittingsError && error.kind === 'network-temporary') return false;
    throw error;
  }
}

/** Options of a refresh, besides those for which the refresh token was issued. */
export interface RefreshOptions {
  /** The resource that the token is for. @see https://www.rfc-editor.org/rfc/rfc8707.html */
  readonly resource?: string | undefined;
  /** The scopes that were granted. A few servers demand them. Default: none are sent, which asks for the same. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Refreshes a token. Does not store the response: a rotated refresh token in it replaces the old one, which is used up. If
 * the server refuses the scopes, the request is sent once more without them.
 *
 * Rejects with `AUTH_FAILED` if the server refuses (`details.oauthError` is `invalid_grant` for a dead refresh token),
 * `SERVER_ERROR`, `RATE_LIMITED`, or the codes of the network.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-6
 */
export async function refreshTokenGrant(
  request: TokenRequest,
  refreshToken: string,
  { resource, scopes = [] }: RefreshOptions = {},
): Promise<TokenEndpointResponse> {
  const refresh = (asked: readonly string[]): Promise<TokenEndpointResponse> =>
    requestToken(
      request,
      'Refreshing the token',
      (as, library, options) =>
        refreshTokenGrantRequest(as, library, request.client.authenticate, refreshToken, {
          ...options,
          additionalParameters: targetParameters(resource, asked),
        }),
      processRefreshTokenResponse,
    );
  try {
    return await refresh(scopes);
  } catch (error) {
    if (scopes.length === 0 || oauthErrorCode(error) !== 'invalid_scope') throw error;
    return refresh([]);
  }
}

/** A private key that authenticates the client with `private_key_jwt`. */
export type ClientKey = NonNullable<OAuthProviderOptions['clientKey']>;

/** Options of {@link clientAuthentication}. */
export interface ClientAuthOptions {
  /** The client secret. */
  readonly secret?: string | undefined;
  /** A private key; preferred to a secret. */
  readonly key?: ClientKey | undefined;
  /** The method of the registration (`token_endpoint_auth_method`). Default: chosen from what the server supports. */
  readonly method?: string | undefined;
}

/** RFC 8414: the default of `token_endpoint_auth_methods_supported`. */
const DEFAULT_METHODS = ['client_secret_basic'];

/**
 * Chooses how the client authenticates at the token endpoint: `private_key_jwt` with a key, `client_secret_basic` or
 * `client_secret_post` with a secret, else `none`. Throws `AUTH_FAILED` if the server supports none of them.
 * @see https://www.rfc-editor.org/rfc/rfc8414.html#section-2
 */
export function clientAuthentication(server: AuthorizationServer, options: ClientAuthOptions): ClientAuth {
  const { secret, key, method } = options;
  const supported = server.token_endpoint_auth_methods_supported ?? DEFAULT_METHODS;
  if (key !== undefined)
    return PrivateKeyJwt(key.kid === undefined ? key.key : { key: key.key, kid: key.kid }, {
      [modifyAssertion]: audienceIsIssuer(server),
    });
  if (method === 'none' || secret === undefined) return None();
  const wanted = method === undefined ? supported : [method];
  if (wanted.includes('client_secret_basic')) return basic(secret);
  if (wanted.includes('client_secret_post')) return ClientSecretPost(secret);
  if (wanted.includes('none')) return None();
  throw new FittingsError(
    'AUTH_FAILED',
    `${server.issuer} does not support authentication with a client secret.`,
    {
      hint: `It supports ${wanted.join(', ')}.`,
    },
  );
}

/** The issuer is the only audience: with several, each of those servers could use the assertion at another. */
function audienceIsIssuer(server: AuthorizationServer) {
  return (_header: Record<string, unknown>, payload: Record<string, unknown>): void => {
    payload['aud'] = server.issuer;
  };
}

/**
 * HTTP Basic with form-encoded id and secret, as RFC 6749, section 2.3.1 says. oauth4webapi encodes more characters than
 * the form encoding does (`-` as `%2D`), which fails at servers that do not decode.
 */
function basic(secret: string): ClientAuth {
  return (_as, client, _body, headers) => {
    const credentials = `${formEncode(client.client_id)}:${formEncode(secret)}`;
    headers.set('authorization', `Basic ${toBase64(new TextEncoder().encode(credentials))}`);
  };
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
