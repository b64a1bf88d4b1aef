/**
 * Cross-app access (XAA): one sign-in at the company's identity provider for every server.
 * @packageDocumentation
 */
export { xaa, XAA_EXTENSION, type XaaPluginOptions } from './xaa/plugin.js';
export type { XaaProviderOptions } from './xaa/options.js';
export { createIdentityProvider, type IdentityProvider } from './xaa/identity-provider/identity-provider.js';
export type { IdentityProviderConfig, IdentityProviderOptions } from './xaa/identity-provider/options.js';
export { identityProviderFromEntries } from './xaa/identity-provider/from-entries.js';
export type { SubjectToken } from './xaa/id-jag/token-exchange.js';
