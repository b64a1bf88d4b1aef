/**
 * For authors of other sign-in schemes that go through an authorization server (`auth-xaa` is one): the parts of the OAuth
 * provider, to be put together anew.
 */
export {
  discover,
  type ConfiguredEndpoints,
  type Discovered,
  type DiscoverOptions,
} from './discovery/discover.js';
export { findAuthorizationServer } from './discovery/authorization-server.js';
export { createDocumentReader, type DocumentReader } from './discovery/documents.js';
export { readChallenge, type ChallengeFacts } from './discovery/challenge.js';
export type { InteractionSession } from './flow/interaction.js';
export { authorizationCode, type AuthorizationCodeRequest } from './flow/authorization-code.js';
export { deviceCode, type DeviceCodeRequest } from './flow/device-code.js';
export { chooseSurface, throughBrowser } from './flow/surface.js';
export { revoke, type Revocation } from './flow/revoke.js';
export { createClientFinder, type ClientFinder, type ClientIdentity } from './registration/find-client.js';
export { checkClientMetadataUrl } from './registration/client-metadata-url.js';
export { entryIdentity, type IdentifiedEntry } from './provider/entry-identity.js';
export { clientAuthOf, type ClientKey, type ClientSecrets } from './registration/client-auth.js';
export type { OAuthClient } from './registration/client.js';
export { createTokenManager, type Renewal, type TokenManager } from './tokens/token-manager.js';
export type { TokenRecord } from './tokens/token-record.js';
export { requestOtherGrant, requestToken, type TokenRequest } from './tokens/token-request.js';
export { toRecord, type TokenContext } from './tokens/token-response.js';
export {
  createProviderDeps,
  recordContext,
  type ProviderDeps,
  type TokenProviderOptions,
} from './provider/context.js';
export { createTokenProvider, type SilentProvider } from './provider/token-provider.js';
export {
  createGrantProvider,
  type Grant,
  type GrantedToken,
  type GrantProvider,
  type GrantRequest,
} from './machine/grant-provider.js';
export { JWT_BEARER_GRANT } from './machine/workload.js';
export { hasOwnCredentials } from './own-credentials.js';
export { refreshGrant } from './tokens/refresh-grant.js';
export { oauthErrorOf } from './failures.js';
export type { Fetcher } from './library-fetch.js';
