/**
 * The parts of an OAuth scheme, for a scheme with a grant of its own: see `examples/custom-oauth-grant`.
 */
export {
  createNonInteractiveProvider,
  type Grant,
  type GrantedToken,
  type GrantRequest,
} from './non-interactive/grant-provider.js';
export { credentialIdentity, hasStaticCredentials } from './config-entry.js';
export { oauthErrorCode } from './protocol/oauth-error.js';
export { isSameIssuer, parseOAuthChallenge, type OAuthChallenge } from './protocol/values.js';
export { clientAuthentication, requestExtensionGrant } from './tokens/token-endpoint.js';
export { exchangeToken, type ExchangeRequest, type TypedToken } from './tokens/token-exchange.js';

/** The parts of a scheme that signs in a person and keeps the sign-in, as `@mcp-fittings/auth-xaa` does. They may change with minor versions. */
export { GrantProvider } from './non-interactive/grant-provider.js';
export { createProviderContext } from './node-platform.js';
export { digestOf, type ProviderContext } from './provider/provider-context.js';
export { interactionFor } from './interaction/interaction-for.js';
export type { DiscoveredServer } from './discovery/discover.js';
export { findAuthorizationServer } from './discovery/authorization-server.js';
export { ClientRegistry } from './provider/client-registry.js';
export { checkClientMetadataUrl } from './registration/client-metadata-url.js';
export { interactiveGrant } from './authorization/interactive.js';
export { refreshTokenGrant, type OAuthClient, type TokenRequest } from './tokens/token-endpoint.js';
export type { TokenManager } from './tokens/token-manager.js';
export type { TokenRecord } from './tokens/token-record.js';
export { revokeTokens } from './provider/revoke.js';

/** The types that their signatures name. */
export type { InteractiveGrantRequest } from './authorization/interactive.js';
export type { AuthorizationRequest } from './authorization/authorization-code.js';
export type { MetadataPolicy } from './discovery/accepted-metadata.js';
export type { CachedDiscovery, ConfiguredEndpoints } from './discovery/discover.js';
export type { Platform } from './platform.js';
export type { Fetcher } from './protocol/endpoint.js';
export type { DiscoveryCache, DiscoveryCacheOptions, DiscoverySearch } from './provider/discovery-cache.js';
export type { FindClientRequest, OAuthClientOptions } from './provider/client-registry.js';
export type { DPoPKeys } from './tokens/dpop-keys.js';
export type { RevocationRequest } from './provider/revoke.js';
export type { ProcessMarks, StoredTokenOptions } from './tokens/stored-token.js';
export type { ClientAuthOptions, ClientKey, RefreshOptions } from './tokens/token-endpoint.js';
export type { Renewal, RenewalOutcome, TokenManagerOptions } from './tokens/token-manager.js';
export type { CachedMetadata } from './tokens/token-record.js';
