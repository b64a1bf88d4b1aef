import type { webcrypto } from 'node:crypto';
import type { Clock, Logger, TokenStore } from '@mcp-fittings/client-core';
import type { HttpClient, HttpClientOptions } from '@mcp-fittings/http-client';
import type { InteractionChooser, SignInInteraction } from './interaction/interaction.js';

/** Options of every provider that obtains tokens from an authorization server. */
export interface TokenProviderOptions {
  /** URL of the MCP server (`http:`, `https:`, `ws:` or `wss:`). Tokens are sent to its origin only. */
  readonly url: string | URL;
  /** Name of the server, for messages and for the person who signs in. Default: the host of `url`. */
  readonly server?: string | undefined;
  /** Keeps tokens, registrations and DPoP keys; several processes may share it. */
  readonly store: TokenStore;
  /**
   * The configuration that stored tokens and registrations belong to, besides the URL: a provider with another identity
   * does not see them. `oauth()` derives it from the entry of the server. Default: the values of `endpoints`.
   */
  readonly identity?: string | undefined;
  /** The person that stored tokens and registrations belong to, if several people share a store. Default: one person. */
  readonly principal?: string | undefined;
  /**
   * Origins, such as `https://api.example`, that may receive codes, tokens and client credentials although the sign-in page
   * is on another origin and the authorization server does not send `iss` in its responses. Default: none.
   * @see https://www.rfc-editor.org/rfc/rfc9207.html
   */
  readonly allowedEndpointOrigins?: readonly string[] | undefined;
  /** Endpoints that take precedence over what the servers say. Default: discovered. */
  readonly endpoints?:
    | {
        /** The authorization endpoint, used together with `tokenUrl`. Default: discovered. */
        readonly authorizationUrl?: string | undefined;
        /** The token endpoint. If set, no authorization server metadata is read. Default: discovered. */
        readonly tokenUrl?: string | undefined;
        /** URL of the authorization server metadata, which must be on the issuer's origin. Default: the well-known URLs. */
        readonly metadataUrl?: string | undefined;
      }
    | undefined;
  /** The scopes to request. Default: those of the challenge, else those that the server lists. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * If true, requests name the MCP server as their `resource`, as the MCP specification demands. Set it to false only for an authorization
   * server that refuses the parameter; its tokens may then be valid for other servers, too. Default `true`.
   * @see https://www.rfc-editor.org/rfc/rfc8707.html
   */
  readonly resource?: boolean | undefined;
  /**
   * Binds tokens to a key: `auto` if the MCP server accepts nothing else, `always` if the authorization server supports it. Default `auto`.
   * @see https://www.rfc-editor.org/rfc/rfc9449.html
   */
  readonly dpop?: 'auto' | 'always' | undefined;
  /**
   * HTTP client for requests to servers, or its options: proxy, certificates, timeouts, allowed addresses. An `HttpClient` is used as it is
   * and stays yours to close. Default: the defaults of `HttpClientOptions`.
   */
  readonly network?:
    Omit<HttpClientOptions, 'url' | 'server' | 'headers'> | Pick<HttpClient, 'fetch'> | undefined;
  /** Time source for expiry, waiting and caching. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives warnings, for example about a token that could not be stored or revoked. Default: none. */
  readonly logger?: Logger | undefined;
}

/**
 * Options of `createOAuthProvider()`. The client is the first of these that applies: `clientId`, a Client ID Metadata Document at
 * `clientMetadataUrl`, dynamic client registration.
 */
export interface OAuthProviderOptions extends TokenProviderOptions {
  /** Name of the application, which the authorization server shows to the person (`client_name` of a registration). */
  readonly clientName: string;
  /** Home page of the application (`client_uri` of a registration). Default: none. */
  readonly clientUri?: string | undefined;
  /** Id of a client that was registered with the authorization server by hand. Default: none. */
  readonly clientId?: string | undefined;
  /** Secret of that client. Default: none, a public client. */
  readonly clientSecret?: string | undefined;
  /** Private key that authenticates the client with `private_key_jwt`, also one with a metadata document. Default: none. */
  readonly clientKey?:
    | {
        /** The private key, for example from `crypto.subtle.importKey`, with the usage `sign`. */
        readonly key: webcrypto.CryptoKey;
        /** Key id, sent as `kid`. Default: none, for a client with one key. */
        readonly kid?: string | undefined;
      }
    | undefined;
  /**
   * The issuer that `clientId` belongs to; another one is `AUTH_DISCOVERY_FAILED`. Default: the first issuer that the
   * secret or the key is used at, which is remembered in the store. A client without either is used at every issuer that
   * the server names.
   */
  readonly clientIssuer?: string | undefined;
  /**
   * URL of the application's Client ID Metadata Document, used where the authorization server supports it: https, with a
   * path, in its normalized form. Default: none.
   * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
   */
  readonly clientMetadataUrl?: string | undefined;
  /**
   * `allow` registers the client dynamically if there is no other way; `never` rejects with `AUTH_FAILED` instead. The
   * revision 2026-07-28 deprecates dynamic registration in favor of `clientMetadataUrl`. Default `allow`.
   * @see https://www.rfc-editor.org/rfc/rfc7591.html
   */
  readonly registration?: 'allow' | 'never' | undefined;
  /** Signs a person in, or is a function that chooses how. Without it `signIn` rejects with `AUTH_FAILED`. Default: none. */
  readonly interaction?: SignInInteraction | InteractionChooser | undefined;
  /**
   * The account that the sign-in page proposes (`login_hint`), for example an email address. The person can choose another one.
   * Not sent with a device code. Default: none.
   */
  readonly loginHint?: string | undefined;
  /** Port of the redirect URI, if the client was registered with one. Default: any free port. */
  readonly callbackPort?: number | undefined;
  /**
   * The redirect URI, if the client was registered with one: `http://localhost:8080/oauth/callback`. Its host must be
   * `127.0.0.1`, `localhost` or `[::1]`; without a port, `callbackPort` or any free port is used. Default: chosen by the
   * interaction.
   */
  readonly redirectUri?: string | undefined;
  /** If true, an authorization server is accepted that does not announce PKCE with S256. Default `false`. */
  readonly allowMissingPkceSupport?: boolean | undefined;
}
