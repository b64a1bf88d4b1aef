export type { Caller, Mount } from './contracts/caller.js';
export type { Access, AccessDecision, UpstreamSignIn, UpstreamSignInPage } from './contracts/access.js';
