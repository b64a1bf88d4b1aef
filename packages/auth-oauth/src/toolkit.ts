/**
 * For authors of other sign-in schemes that use an authorization server, such as `@mcp-fittings/auth-xaa`: the parts that the
 * OAuth provider is made of. They may change with minor versions.
 */

/** The provider of a scheme. */
export {
  GrantProvider,
  type Grant,
  type GrantedToken,
  type GrantRequest,
} from './non-interactive/grant-provider.js';
export { ProviderContext } from './provider/provider-context.js';
export type { DiscoveryCache, DiscoveryCacheOptions, DiscoverySearch } from './provider/discovery-cache.js';
export type { TokenProviderOptions } from './provider/options.js';
export { interactionFor } from './interaction/interaction-for.js';
export { credentialIdentity, hasStaticCredentials, type IdentifiedEntry } from './config-entry.js';

/** Discovery. */
export {
  discover,
  type CachedDiscovery,
  type ConfiguredEndpoints,
  type DiscoveredServer,
  type DiscoverOptions,
} from './discovery/discover.js';
export {
  findAuthorizationServer,
  type FindAuthorizationServerOptions,
  type IssuerMatch,
} from './discovery/authorization-server.js';
export { parseOAuthChallenge, type OAuthChallenge } from './discovery/challenge.js';

/** The client. */
export {
  ClientRegistry,
  type FindClientRequest,
  type OAuthClientOptions,
} from './registration/client-registry.js';
export { checkClientMetadataUrl } from './registration/client-metadata-url.js';
export {
  clientAuthentication,
  type ClientAuthOptions,
  type ClientKey,
  type OAuthClient,
} from './registration/oauth-client.js';

/** Grants. */
export { interactiveGrant, type InteractiveGrantRequest } from './authorization/interactive.js';
export type { AuthorizationRequest } from './authorization/authorization-code.js';
export {
  refreshTokenGrant,
  requestExtensionGrant,
  type RefreshOptions,
  type TokenRequest,
} from './tokens/token-endpoint.js';
export { JWT_BEARER_GRANT } from './non-interactive/workload-identity.js';
export { oauthErrorCode } from './protocol/oauth-error.js';

/** Tokens. */
export {
  TokenManager,
  type Renewal,
  type RenewalOutcome,
  type TokenManagerOptions,
} from './tokens/token-manager.js';
export type { StoredTokenOptions } from './tokens/stored-token.js';
export type { CachedMetadata, TokenRecord } from './tokens/token-record.js';
export { revokeTokens, type RevocationRequest } from './tokens/revoke.js';
export type { DPoPKeys } from './tokens/dpop-keys.js';
export type { MetadataPolicy } from './discovery/accepted-metadata.js';
export type {
  DeviceInteraction,
  DevicePrompt,
  Interaction,
  InteractionChooser,
  InteractionOptions,
  InteractionSession,
  SignInInteraction,
  SupportedGrants,
} from './interaction/interaction.js';
export type { LoopbackHost } from './interaction/redirect-uri.js';
export { isSameIssuer } from './protocol/values.js';
export type { Fetcher } from './protocol/endpoint.js';
