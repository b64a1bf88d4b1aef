/**
 * For authors of other sign-in schemes that use an authorization server, such as `@mcp-fittings/auth-xaa`: the parts that the
 * OAuth provider is made of. They may change with minor versions.
 */

/** The provider of a scheme. */
export {
  createGrantProvider,
  type Grant,
  type GrantedToken,
  type GrantProvider,
  type GrantRequest,
} from './non-interactive/grant-provider.js';
export { createProviderDeps, type DiscoverySearch, type ProviderDeps } from './provider/provider-deps.js';
export type { CachedDiscovery } from './provider/cached-discovery.js';
export type { TokenProviderOptions } from './provider/options.js';
export type { TokenProvider } from './provider/token-provider.js';
export { interactionFor } from './interaction/interaction-for.js';
export { credentialIdentity, hasStaticCredentials, type IdentifiedEntry } from './config-entry.js';

/** Discovery. */
export {
  discover,
  type ConfiguredEndpoints,
  type DiscoveredServer,
  type DiscoverOptions,
} from './discovery/discover.js';
export {
  findAuthorizationServer,
  type FindAuthorizationServerOptions,
  type IssuerMatch,
} from './discovery/authorization-server.js';
export { isSameIssuer } from './discovery/issuer-url.js';
export { parseOAuthChallenge, type OAuthChallenge } from './discovery/challenge.js';

/** The client. */
export {
  createClientRegistry,
  type ClientRegistry,
  type ClientRegistryDeps,
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
  createTokenManager,
  type Renewal,
  type RenewalOutcome,
  type TokenManager,
  type TokenManagerDeps,
} from './tokens/token-manager.js';
export type { CachedMetadata, TokenRecord } from './tokens/token-record.js';
export { revokeTokens, type RevocationRequest } from './tokens/revoke.js';
export type { DPoPKeys } from './tokens/dpop-keys.js';
export type { BrowserTargetPolicy } from './discovery/endpoint-policy.js';
export type { Fetcher } from './protocol/guarded-fetch.js';
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
