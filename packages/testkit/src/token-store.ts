/**
 * For authors of a token store: the contract suite that every token store of mcp-fittings passes.
 *
 * @packageDocumentation
 */
export { tokenStoreSuite } from './store-suite/token-store-suite.js';
export type {
  TokenStoreCapabilities,
  TokenStoreFixture,
  TokenStoreSuiteOptions,
} from './store-suite/store-options.js';
