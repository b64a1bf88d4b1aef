import type { ClientKey } from '@mcp-fittings/auth-oauth';
import type { TokenProviderOptions } from '@mcp-fittings/auth-oauth/toolkit';
import type { AuthPlugin } from '@mcp-fittings/client-core';
import type { IdentityProvider } from './identity-provider/identity-provider.js';

/** Options that apply to all servers. */
export interface XaaSharedOptions {
  /**
   * Issuers of the only authorization servers that may receive an ID-JAG; others are `POLICY_DENIED`. Default: every
   * authorization server that a server's metadata name.
   */
  readonly allowedAuthorizationServers?: readonly string[] | undefined;
  /**
   * What to do with an authorization server whose metadata do not say whether it accepts ID-JAGs. `try`: send one, because most
   * do not say. `refuse`: treat it as unsupported. A server that says that it does not accept them is never tried. Default `try`.
   */
  readonly unannounced?: 'try' | 'refuse' | undefined;
  /** https URL of this client's Client ID Metadata Document, for authorization servers that support them. Default: none. */
  readonly clientMetadataUrl?: string | undefined;
  /**
   * Private key that authenticates this client (`private_key_jwt`), as the client of `clientMetadataUrl` or of an entry with a
   * `clientId` and without a `clientSecret`. Default: none.
   */
  readonly clientKey?: ClientKey | undefined;
}

/** Options of {@link createXaaProvider}. */
export interface XaaProviderOptions
  extends Omit<TokenProviderOptions, 'endpoints' | 'resource'>, XaaSharedOptions {
  /** The identity provider; pass the same one to the providers of all servers. */
  readonly identityProvider: IdentityProvider;
  /** Id of this client at the server's authorization server. Default: `clientMetadataUrl`, where that is supported. */
  readonly clientId?: string | undefined;
  /** Secret of `clientId`. Default: none. */
  readonly clientSecret?: string | undefined;
  /** Issuer that `clientId` belongs to; the id is not sent to another one. Default: the one that the server names. */
  readonly clientIssuer?: string | undefined;
}

/**
 * What happens with a server whose authorization server does not support ID-JAGs. `managed-only` (the default): it cannot be
 * used. `interactive-fallback`: the plugin `fallback` signs in to it. A refusal is never a reason for the fallback.
 */
export type XaaFallbackOptions =
  | {
      /** The server cannot be used. */
      readonly policy?: 'managed-only' | undefined;
    }
  | {
      /** The plugin `fallback` signs in to the server. */
      readonly policy: 'interactive-fallback';
      /** Signs in to servers that do not support XAA, such as `oauth(…)`. */
      readonly fallback: AuthPlugin;
    };
