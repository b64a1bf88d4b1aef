/**
 * For authors of a transport: the contract suite that every transport of mcp-fittings passes.
 *
 * @packageDocumentation
 */
export { transportSuite } from './suite/transport-suite.js';
export type { TransportCapabilities } from './suite/capabilities.js';
export type {
  TestRunner,
  TransportFixture,
  TransportSetupOptions,
  TransportSuiteOptions,
} from './suite/options.js';
