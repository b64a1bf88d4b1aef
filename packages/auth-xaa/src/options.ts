import type { TokenProviderOptions } from '@mcp-fittings/auth-oauth/flows';
import type { AuthPlugin } from '@mcp-fittings/client-core';
import type { ClientKey } from '@mcp-fittings/auth-oauth';
import type { IdentityProvider } from './idp/identity-provider.js';

/** What holds for all servers. */
export interface XaaSharedOptions {
  /** The only authorization servers that are shown an assertion, by issuer. Default: those that the servers name. */
  readonly allowedAuthorizationServers?: readonly string[] | undefined;
  /**
   * What to do with an authorization server that does not say whether it takes assertions. Most do not say, so `try` is the
   * default; one that says that it takes none is never tried.
   */
  readonly unannounced?: 'try' | 'refuse' | undefined;
  /** https URL of our Client ID Metadata Document, for authorization servers that take it. */
  readonly clientMetadataUrl?: string | undefined;
  /** Signs as that client, and as those that an entry names without a secret (`private_key_jwt`). */
  readonly clientKey?: ClientKey | undefined;
}

export interface XaaProviderOptions extends Omit<TokenProviderOptions, 'endpoints'>, XaaSharedOptions {
  readonly identityProvider: IdentityProvider;
  /** Who we are to the server's authorization server, where it knows us by an id of its own. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The issuer that the client id belongs to. Default: whichever the server names. */
  readonly clientIssuer?: string | undefined;
}

/**
 * `managed-only`: what the identity provider does not let through is not had in another way. `interactive-fallback`: a server
 * whose authorization server takes no assertions is signed in to on its own, by another plugin.
 */
export type XaaFallbackOptions =
  | { readonly policy?: 'managed-only' | undefined }
  | { readonly policy: 'interactive-fallback'; readonly fallback: AuthPlugin };
