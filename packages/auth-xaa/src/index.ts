/**
 * Cross-app access (XAA): one sign-in at the company's identity provider for every server.
 * @packageDocumentation
 */
export { xaa, XAA_EXTENSION, type XaaPlugin, type XaaPluginOptions } from './plugin.js';
export { createXaaProvider } from './xaa-provider.js';
export type { XaaFallbackOptions, XaaProviderOptions, XaaSharedOptions } from './options.js';
export { createIdentityProvider, type IdentityProvider } from './identity-provider/identity-provider.js';
export type { IdentityProviderConfig, IdentityProviderOptions } from './identity-provider/options.js';
export {
  identityProviderFromEntries,
  type FoundIdentityProvider,
  type ScopedEntry,
} from './identity-provider/from-entries.js';
export type { StepUp, StepUpRequest } from './identity-provider/step-up.js';
export type { IdJag, IdJagTarget } from './id-jag/id-jag.js';
export type { SubjectToken } from './id-jag/token-exchange.js';
