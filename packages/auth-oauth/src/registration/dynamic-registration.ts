import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import {
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
  type AuthorizationServer,
} from 'oauth4webapi';
import { callEndpoint } from '../tokens/token-endpoint.js';
import { asResponse, type Fetcher, isJsonType, temporaryCode } from '../protocol/endpoint.js';

/** A registration request. */
export interface RegistrationRequest {
  readonly network: Fetcher;
  readonly server: string;
  readonly authorizationServer: AuthorizationServer;
  readonly clientName: string;
  readonly clientUri?: string | undefined;
  readonly redirectUris: readonly string[];
  /** Grant types besides authorization code and refresh token. */
  readonly grantTypes?: readonly string[] | undefined;
  /** The scopes that the client may request; undefined to leave that to the server. */
  readonly scopes: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A registered client, as it is stored: plain JSON. */
export interface Registration {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly method?: string | undefined;
  readonly redirectUris: readonly string[];
  /** The scopes that it was registered for; undefined if it names none. */
  readonly scopes?: readonly string[] | undefined;
  /** Time when the secret expires, in milliseconds since the epoch; absent if never. */
  readonly secretExpiresAt?: number | undefined;
}

/** The characters of RFC 6749, of a length that fits into URLs and headers. */
const CLIENT_ID = /^[\x20-\x7e]{1,2048}$/;

/**
 * Registers the client. Rejects with `AUTH_FAILED` if the server refuses, or if the registration is not what was requested.
 * @see https://www.rfc-editor.org/rfc/rfc7591.html
 */
export function register(request: RegistrationRequest): Promise<Registration> {
  const { authorizationServer: as, server } = request;
  const metadata = {
    client_name: request.clientName,
    ...(request.clientUri !== undefined && { client_uri: request.clientUri }),
    redirect_uris: [...request.redirectUris],
    grant_types: ['authorization_code', 'refresh_token', ...(request.grantTypes ?? [])],
    response_types: ['code'],
    token_endpoint_auth_method: chooseMethod(as),
    application_type: request.redirectUris.some((uri) => uri.startsWith('https:')) ? 'web' : 'native',
    ...(request.scopes !== undefined && { scope: request.scopes.join(' ') }),
  };
  return callEndpoint(
    request,
    `The registration at ${as.issuer} failed`,
    async (options) => {
      const response = await dynamicClientRegistrationRequest(as, metadata, options);
      refuseOtherAnswers(response, as, server);
      return response;
    },
    async (document) => {
      // Some servers omit when a secret expires, or answer 200: both are harmless.
      const answer = asResponse({ client_secret_expires_at: 0, ...document }, 201);
      return checked(await processDynamicClientRegistrationResponse(answer), request);
    },
  );
}

/**
 * A refusal that does not have the form of RFC 7591 is not of an authorization server, but for example of one that requires
 * an API key.
 */
function refuseOtherAnswers(response: Response, as: AuthorizationServer, server: string): void {
  const { ok, status } = response;
  if (ok || temporaryCode(status) !== undefined || (isJsonType(response) && status !== 401)) return;
  throw new FittingsError(
    'AUTH_FAILED',
    `${as.issuer} does not support dynamic client registration: it answered with status ${status}.`,
    {
      server,
      hint: 'Set "oauth.clientId" in the entry of the server, or "headers" or "apiKey" if it requires an API key.',
      details: { status, step: 'registration' },
    },
  );
}

/** A public client if possible: the secret of an application that people install is not secret. */
function chooseMethod(as: AuthorizationServer): string {
  const supported = as.token_endpoint_auth_methods_supported;
  if (supported === undefined || supported.includes('none')) return 'none';
  return ['client_secret_basic', 'client_secret_post'].find((method) => supported.includes(method)) ?? 'none';
}

function checked(client: Readonly<Record<string, unknown>>, request: RegistrationRequest): Registration {
  const { client_id: id, client_secret: secret, redirect_uris: uris } = client;
  const { token_endpoint_auth_method: method, client_secret_expires_at: expires } = client;
  const refuse = (what: string): FittingsError =>
    new FittingsError(
      'AUTH_FAILED',
      `The registration response of ${request.authorizationServer.issuer} is invalid: ${what}.`,
      {
        server: request.server,
      },
    );
  if (typeof id !== 'string' || !CLIENT_ID.test(id)) throw refuse('it has no valid client id');
  if (secret !== undefined && (typeof secret !== 'string' || !CLIENT_ID.test(secret))) {
    throw refuse('its client secret has an invalid character or length');
  }
  const given = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : request.redirectUris;
  const altered = request.redirectUris.find((uri) => !given.includes(uri));
  if (altered !== undefined) throw refuse(`it does not register the redirect URI ${sanitizeText(altered)}`);
  return {
    clientId: id,
    clientSecret: secret,
    method: typeof method === 'string' ? method : undefined,
    redirectUris: request.redirectUris,
    scopes: request.scopes,
    secretExpiresAt: typeof expires === 'number' && expires > 0 ? expires * 1000 : undefined,
  };
}
