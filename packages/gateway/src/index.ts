export { createGateway, type GatewayOptions } from './create-gateway.js';
export type { Caller, ItemKind, Mount } from './contracts/caller.js';
export type { Access, AccessDecision, UpstreamSignIn, UpstreamSignInPage } from './contracts/access.js';

/** Who may call. */
export { bearerToken, type BearerTokenOptions } from './access/bearer-token.js';
export { oauthResource, type OAuthResourceOptions } from './access/oauth-resource.js';
export type { AccessTokenClaims, TokenProfile } from './access/access-token.js';
export type { OutboundFetch, OutboundRequest } from './access/outbound-fetch.js';
export type { ScopeGrant, Scopes, ServerGrant } from './access/scope-grants.js';

/** Where callers sign in to servers. */
export {
  createUpstreamSignIn,
  type UpstreamSignInOptions,
  type UpstreamSignInPages,
} from './sign-in/upstream-sign-in.js';
export {
  gatewayInteraction,
  type GatewayInteraction,
  type GatewayInteractionOptions,
  type GatewayInteractionSession,
  type WaitingBrowsers,
} from './sign-in/gateway-interaction.js';
export {
  browserSignIn,
  type BrowserCheck,
  type BrowserSignInOptions,
  type IdentityClaims,
} from './sign-in/browser-sign-in.js';

export type {
  FrontDoorOptions,
  Gateway,
  GatewayListener,
  GatewayLoad,
  ListenAddress,
  Pages,
  RateLimiterCounts,
  SessionOptions,
  StdioOptions,
} from './contracts/gateway.js';
export type {
  SessionMessages,
  SessionPeers,
  SessionRecord,
  SessionStore,
} from './contracts/session-store.js';
export type { RateLimit } from './state/rate-limiter.js';
export type { FleetOptions } from './join-fleet.js';
export { createMemoryState, type MemoryStateOptions } from './state/memory-state.js';
export type { AskOptions, QuestionHandler, ReplicaLink } from './contracts/replica-link.js';
export type { SurfaceLimits, SurfaceOptions } from './surface/surface-options.js';
export type { ExposedKind, ExposeOptions } from './catalog/exposure.js';
export {
  createCallbackRouter,
  type CallbackRouter,
  type CallbackRouterOptions,
} from './callbacks/callback-router.js';
export type { CallStep, ClientExchange, OpenCall, OpenCallOptions } from './callbacks/open-call.js';

/** The status page. */
export type { StatusOptions } from './status/status-page.js';
export type { ErrorStatus, GatewayStatus, ServerStateStatus, ServerStatus } from './status/gateway-status.js';
export type { LatencyStatus } from './status/latency.js';
export type { RequestEvent, RequestObserver } from './contracts/request-event.js';
