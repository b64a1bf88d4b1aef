/**
 * Cross-app access (XAA): one sign-in at the company's identity provider for every server.
 * @packageDocumentation
 */
export { xaa, XAA_EXTENSION, type XaaPluginOptions } from './plugin.js';
export type { XaaProviderOptions } from './options.js';
export { createIdentityProvider, type IdentityProvider } from './identity-provider/identity-provider.js';
export type { IdentityProviderConfig, IdentityProviderOptions } from './identity-provider/options.js';
export { identityProviderFromEntries } from './identity-provider/from-entries.js';
export type { SubjectToken } from './id-jag/token-exchange.js';
