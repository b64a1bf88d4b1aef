import type { webcrypto } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import {
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  modifyAssertion,
  None,
  PrivateKeyJwt,
} from 'oauth4webapi';

/** Who we are to one authorization server. */
export interface OAuthClient {
  /** The authorization server that knows us by this id; the id means nothing to another one. */
  readonly issuer: string;
  readonly clientId: string;
  /** `registered` ones may be forgotten by the server and are then made anew. */
  readonly origin: 'configured' | 'metadata-document' | 'registered';
  /** How requests to the token endpoint are authenticated. */
  readonly authenticate: ClientAuth;
}

/** The same for oauth4webapi. */
export function toLibraryClient(client: OAuthClient): Client {
  return { client_id: client.clientId };
}

/** A key that authenticates the client. @see https://www.rfc-editor.org/rfc/rfc7523.html */
export interface ClientKey {
  /** A private key for signing, e.g. of `crypto.subtle.importKey`. */
  readonly key: webcrypto.CryptoKey;
  /** Its id, when the authorization server knows several. */
  readonly kid?: string | undefined;
}

export interface ClientAuthOptions {
  readonly secret?: string | undefined;
  readonly key?: ClientKey | undefined;
  /** What the authorization server said when it registered us. */
  readonly method?: string | undefined;
}

/** RFC 8414: what a server without a list supports. */
const DEFAULT_METHODS = ['client_secret_basic'];

/** How to authenticate with what we have, by a method that the server supports. Throws `AUTH_FAILED` when there is none. */
export function clientAuthentication(server: AuthorizationServer, secrets: ClientAuthOptions): ClientAuth {
  const { secret, key, method } = secrets;
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
    `${server.issuer} supports no way to authenticate with a client secret.`,
    {
      hint: `It supports: ${wanted.join(', ')}.`,
    },
  );
}

/** One audience, the issuer: with several, any of those servers could use the assertion at another. */
function audienceIsIssuer(server: AuthorizationServer) {
  return (_header: Record<string, unknown>, payload: Record<string, unknown>): void => {
    payload['aud'] = server.issuer;
  };
}

/**
 * HTTP Basic with both halves form-encoded, as RFC 6749, section 2.3.1 says. The library encodes more characters than the
 * form encoding does (`-` as `%2D`), which servers that forget to decode do not survive.
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
