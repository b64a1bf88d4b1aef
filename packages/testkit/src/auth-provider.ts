/**
 * For authors of a sign-in scheme: the contract suite that every auth provider of mcp-fittings passes.
 *
 * @packageDocumentation
 */
export { authProviderSuite } from './auth-suite/auth-provider-suite.js';
export type { AuthProviderFixture, AuthProviderSuiteOptions } from './auth-suite/auth-options.js';
