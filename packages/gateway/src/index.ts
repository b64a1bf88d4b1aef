export { createGateway } from './create-gateway.js';
export type { GatewayOptions } from './contracts/gateway-options.js';
export type { Gateway, GatewayListener, GatewayLoad, Pages, StdioOptions } from './contracts/gateway.js';
export type { Caller } from './contracts/caller.js';
export type { Access, AccessDecision, AccessRequest, UpstreamSignIn } from './contracts/access.js';

/** Access of callers to the gateway. */
export { bearerToken } from './access/bearer-token.js';
export { oauthResource, type OAuthResource, type OAuthResourceOptions } from './access/oauth-resource.js';
export type { AccessTokenClaims } from './access/access-token.js';
export type { OutboundFetch } from './access/outbound-fetch.js';

/** Sign-in of callers to servers. */
export { createUpstreamSignIn, type UpstreamSignInOptions } from './sign-in/upstream-sign-in.js';
export { gatewayInteraction, type GatewayInteraction } from './sign-in/gateway-interaction.js';
export { browserSignIn, type BrowserCheck, type BrowserSignInOptions } from './sign-in/browser-sign-in.js';

export {
  createCallbackRouter,
  type CallbackRouter,
  type CallbackRouterOptions,
} from './callbacks/callback-router.js';

/** The status page, and what is observed. */
export type { GatewayStatus } from './status/gateway-status.js';
export type { RequestEvent } from './contracts/request-event.js';
