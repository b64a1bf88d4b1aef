/** For authors of a protocol engine: the contract suite that the engines of `@mcp-fittings/host` and `@mcp-fittings/engine-sdk` pass. */
export { engineSuite } from './engine-suite/engine-suite.js';
export type {
  EngineConnectInput,
  EngineRequestInput,
  EngineSuiteOptions,
  EngineUnderTest,
  SessionUnderTest,
} from './engine-suite/engine-under-test.js';
