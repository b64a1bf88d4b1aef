/** For hosts: one sign-in at the company's identity provider for every server. */
export { xaa, type XaaPlugin, type XaaPluginOptions } from './plugin.js';
export { createXaaProvider } from './xaa-provider.js';
export type { XaaFallbackOptions, XaaSharedOptions, XaaProviderOptions } from './options.js';
export { createIdentityProvider, type IdentityProvider } from './idp/identity-provider.js';
export type { IdentityProviderOptions, IdentityProviderConfig, SubjectToken } from './idp/options.js';
export {
  identityProviderFromEntries,
  type FoundIdentityProvider,
  type ScopedEntry,
} from './idp/settings-from-entries.js';
export type { StepUp, StepUpRequest } from './idp/step-up.js';
export type { Assertion, IdJagTarget } from './jag/assertion.js';
export { XAA_EXTENSION } from './extension.js';
