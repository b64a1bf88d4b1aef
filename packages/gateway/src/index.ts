export type { Caller, Mount } from './contracts/caller.js';
export type { Access, AccessDecision, UpstreamSignIn, UpstreamSignInPage } from './contracts/access.js';
export { createSurface } from './surface/create-surface.js';
export type { SurfaceLimits, SurfaceOptions } from './surface/surface-options.js';
export type { ExposedKind, ExposeOptions } from './catalog/exposure.js';
export {
  createCallbackRouter,
  type CallbackRouter,
  type CallbackRouterOptions,
} from './callbacks/callback-router.js';
export type { CallStep, ClientExchange, OpenCall } from './callbacks/open-call.js';
