/** For authors of a sign-in scheme: the contract suite that every auth provider of mcp-fittings passes. */
export { authProviderSuite } from './auth-suite/auth-provider-suite.js';
export type {
  AuthProviderCapabilities,
  AuthProviderFixture,
  AuthProviderSuiteOptions,
  ServerVerdict,
} from './auth-suite/auth-options.js';
export type { TestRunner } from './suite/options.js';
