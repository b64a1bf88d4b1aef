import type { OAuthProviderOptions, TokenProviderOptions } from '@mcp-fittings/auth-oauth';
/** Options of `createProvider()` of an identity provider. */
export interface XaaProviderOptions extends Omit<TokenProviderOptions, 'endpoints' | 'resource'> {
  /** Id of this client at the server's authorization server. Default: `clientMetadataUrl`, where that is supported. */
  readonly clientId?: string | undefined;
  /** Secret of `clientId`. Default: none. */
  readonly clientSecret?: string | undefined;
  /** Issuer that `clientId` belongs to; the id is not sent to another one. Default: the one that the server names. */
  readonly clientIssuer?: string | undefined;
  /**
   * Issuers of the only authorization servers that may receive an ID-JAG; others are `POLICY_DENIED`. Default: every
   * authorization server that a server's metadata name.
   */
  readonly allowedAuthorizationServers?: readonly string[] | undefined;
  /**
   * Handles an authorization server whose metadata do not say whether it accepts ID-JAGs. `try`: send one, because most do not say.
   * `refuse`: treat it as unsupported. A server that says that it does not accept them is never tried. Default `try`.
   */
  readonly unannounced?: 'try' | 'refuse' | undefined;
  /** https URL of this client's Client ID Metadata Document, for authorization servers that support them. Default: none. */
  readonly clientMetadataUrl?: string | undefined;
  /**
   * Private key that authenticates this client (`private_key_jwt`), as the client of `clientMetadataUrl` or of an entry with a
   * `clientId` and without a `clientSecret`. Default: none.
   */
  readonly clientKey?: OAuthProviderOptions['clientKey'];
}
