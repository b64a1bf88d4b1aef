/** For authors of a protocol engine: the contract suite that the engines of `@mcp-fittings/host` and `@mcp-fittings/engine-sdk` pass. */
export { engineSuite } from './engine-suite/engine-suite.js';
export type {
  EngineCallbackInput,
  EngineCapabilities,
  EngineConnectInput,
  EngineEventSink,
  EngineListInput,
  EngineRequestInput,
  EngineSuiteOptions,
  EngineUnderTest,
  SessionUnderTest,
  ToolResultUnderTest,
} from './engine-suite/engine-under-test.js';
export type { TestRunner } from './transport.js';
