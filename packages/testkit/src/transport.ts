/**
 * For authors of a transport: the contract suite that every transport of mcp-fittings passes.
 *
 * @packageDocumentation
 */
export { transportSuite } from './transport-suite/transport-suite.js';
export type { TransportCapabilities } from './transport-suite/capabilities.js';
export type {
  TestRunner,
  TransportFixture,
  TransportSetupOptions,
  TransportSuiteOptions,
} from './transport-suite/options.js';
