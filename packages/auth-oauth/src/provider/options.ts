import type { Clock, Logger, TokenStore } from '@mcp-fittings/client-core';
import type { HttpClientOptions } from '@mcp-fittings/http-client';
import type { ConfiguredEndpoints } from '../discovery/discover.js';
import type { InteractionChooser, SignInInteraction } from '../interaction/interaction.js';
import type { OAuthClientOptions } from '../registration/client-registry.js';
import type { Fetcher } from '../protocol/endpoint.js';

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
  readonly endpoints?: ConfiguredEndpoints | undefined;
  /** The scopes to request. Default: those of the challenge, else those that the server lists. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Whether requests name the MCP server as their `resource`, as the MCP specification demands. Set it to false only for an
   * authorization server that refuses the parameter; its tokens may then be valid for other servers, too. Default `true`.
   * @see https://www.rfc-editor.org/rfc/rfc8707.html
   */
  readonly resource?: boolean | undefined;
  /**
   * When tokens are bound to a key: `auto` if the MCP server accepts nothing else, `always` if the authorization server
   * supports it. Default `auto`.
   * @see https://www.rfc-editor.org/rfc/rfc9449.html
   */
  readonly dpop?: 'auto' | 'always' | undefined;
  /**
   * How servers are reached: proxy, certificates, timeouts, allowed addresses. An `HttpClient` is used as it is and stays yours
   * to close. Default: the defaults of `HttpClientOptions`.
   */
  readonly network?: Omit<HttpClientOptions, 'url' | 'server' | 'headers'> | Fetcher | undefined;
  /** Time source for expiry, waiting and caching. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives warnings, for example about a token that could not be stored or revoked. Default: none. */
  readonly logger?: Logger | undefined;
}

/** Options of `createOAuthProvider()`. */
export interface OAuthProviderOptions extends TokenProviderOptions, OAuthClientOptions {
  /** How a person signs in, or a function that chooses it. Without it `signIn` rejects with `AUTH_FAILED`. Default: none. */
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
  /** Whether to accept an authorization server that does not announce PKCE with S256. Default `false`. */
  readonly allowMissingPkceSupport?: boolean | undefined;
}
