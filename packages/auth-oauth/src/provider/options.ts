import type { Clock, Logger, TokenStore } from '@mcp-fittings/client-core';
import type { NetworkOptions } from '@mcp-fittings/http-client';
import type { ConfiguredEndpoints } from '../discovery/discover.js';
import type { SignInInteraction, InteractionChooser } from '../interaction/interaction.js';
import type { Fetcher } from '../protocol/guarded-fetch.js';
import type { OAuthClientOptions } from '../registration/client-registry.js';

export interface OAuthProviderOptions extends TokenProviderOptions, OAuthClientOptions {
  /** How a person signs in; without it `signIn` rejects with `AUTH_FAILED`. */
  readonly interaction?: SignInInteraction | InteractionChooser | undefined;
  /** Port of the redirect URI, where the authorization server knows a fixed one. */
  readonly callbackPort?: number | undefined;
  /**
   * The redirect URI, where the authorization server knows a fixed one: `http://localhost:8080/oauth/callback`. Its host is
   * `127.0.0.1`, `localhost` or `[::1]`; without a port, `callbackPort` or any free one is taken. Default: the surface's.
   */
  readonly redirectUri?: string | undefined;
  /** Accept a server that does not announce PKCE with S256. Default false. */
  readonly allowMissingPkceSupport?: boolean | undefined;
}

/** What every provider that gets tokens from an authorization server has to be sentSecrets. */
export interface TokenProviderOptions {
  /** URL of the MCP server. */
  readonly url: string | URL;
  /** Name of the server, for messages and for the person. Default: its host. */
  readonly server?: string | undefined;
  /** Where tokens and registrations are kept. */
  readonly store: TokenStore;
  /**
   * Which configuration of the server the stored tokens and registrations belong to, besides its URL: providers with another
   * identity do not see them. `oauth()` passes one that is made of the entry. Default: the `endpoints`.
   */
  readonly identity?: string | undefined;
  /** Who the stored tokens and registrations belong to, where several people share a store. Default: one person. */
  readonly principal?: string | undefined;
  /**
   * Origins, such as `https://api.example`, that codes, tokens and client credentials may be sent to although they differ from
   * that of the sign-in page and the authorization server does not name itself in its answers (RFC 9207). Default: none.
   */
  readonly allowedEndpointOrigins?: readonly string[] | undefined;
  /** Goes before what servers say. */
  readonly endpoints?: ConfiguredEndpoints | undefined;
  /** Asked for instead of what the server says. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Whether tokens are bound to a key (DPoP). `auto` (default): where the server takes nothing else. `always`: at every
   * authorization server that supports it.
   */
  readonly dpop?: 'auto' | 'always' | undefined;
  /** Proxy, certificates, time-outs, addresses: how the servers are reached. A `Network` stays yours to close. */
  readonly network?: Omit<NetworkOptions, 'url' | 'server' | 'headers'> | Fetcher | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}
