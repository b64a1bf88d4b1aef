import { FittingsError } from '@mcp-fittings/client-core';
import {
  ClientSecretPost,
  modifyAssertion,
  None,
  PrivateKeyJwt,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
} from 'oauth4webapi';
import type { OAuthProviderOptions } from '../options.js';

/** The client that the host is to one authorization server. */
export interface OAuthClient {
  /** Issuer of the authorization server that knows the client; its id has no meaning elsewhere. */
  readonly issuer: string;
  /** Sent as `client_id`. */
  readonly clientId: string;
  /** Where the client comes from. The server may forget `registered` clients, which are then registered again. */
  readonly origin: 'configured' | 'metadata-document' | 'registered';
  /** Authenticates requests to the token endpoint; see {@link clientAuthentication}. */
  readonly authenticate: ClientAuth;
}

/** Returns the client in the form of oauth4webapi. */
export function toLibraryClient(client: OAuthClient): Client {
  return { client_id: client.clientId };
}

/** A private key that authenticates the client with `private_key_jwt`. */
export type ClientKey = NonNullable<OAuthProviderOptions['clientKey']>;

/** What {@link clientAuthentication} authenticates a client with. */
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
 * @example
 * ```ts
 * const authenticate = clientAuthentication(authorizationServer, { secret: process.env['CLIENT_SECRET'] });
 * const client: OAuthClient = { issuer: authorizationServer.issuer, clientId: 'my-app', origin: 'configured', authenticate };
 * ```
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
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
