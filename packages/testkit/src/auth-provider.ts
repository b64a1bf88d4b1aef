/**
 * For authors of a sign-in scheme: the contract suite that every auth provider of mcp-fittings passes.
 *
 * @packageDocumentation
 */
export { authProviderSuite } from './auth-suite/auth-provider-suite.js';
export type {
  AuthProviderCapabilities,
  AuthProviderFixture,
  AuthProviderSuiteOptions,
  TestServerResponse,
} from './auth-suite/auth-options.js';
export type { TestRunner } from './transport-suite/options.js';
