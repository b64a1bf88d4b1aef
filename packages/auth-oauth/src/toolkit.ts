/**
 * The parts of an OAuth scheme, for a scheme with a grant of its own: see `examples/custom-oauth-grant`.
 */
export {
  createNonInteractiveProvider,
  type Grant,
  type GrantedToken,
  type GrantRequest,
} from './non-interactive/grant-provider.js';
export { credentialIdentity } from './config-entry.js';
export { isSameIssuer } from './protocol/values.js';
export { clientAuthentication, requestExtensionGrant } from './tokens/token-endpoint.js';
export type { OAuthClient, TokenRequest } from './tokens/token-endpoint.js';
