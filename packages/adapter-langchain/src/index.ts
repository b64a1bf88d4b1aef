/**
 * The tools of a host for LangChain and LangGraph (`@langchain/core`).
 * @packageDocumentation
 */
export {
  createLangChainAdapter,
  type LangChainAdapter,
  type LangChainAdapterOptions,
} from './langchain-adapter.js';
export type { LangChainArtifact, LangChainToolFields, LangChainToolMessageFields } from './langchain-tool.js';
