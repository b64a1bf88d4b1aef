/**
 * Typed functions for the tools of servers: for code that a model writes, and for programs. Nothing here executes code.
 * @packageDocumentation
 */
export {
  toTypeScript,
  type ServerBindings,
  type TypeScriptBindings,
  type TypeScriptOptions,
} from './code-mode/to-typescript.js';
export type { DescribedTool, ToolFunction, ToolWithoutFunction } from './code-mode/server-types.js';
export {
  generateClient,
  generateTypes,
  type ClientFileOptions,
  type GeneratedFile,
  type TypesFileOptions,
} from './code-mode/generate-files.js';
export {
  createToolDispatcher,
  type DispatchOptions,
  type ToolDispatcher,
  type ToolDispatcherOptions,
  type ToolReply,
  type ToolReplyError,
  type ToolRequest,
} from './code-mode/tool-dispatcher.js';
export { connectToolCalls, serveToolCalls, type ToolCallPort } from './code-mode/message-port.js';
export { bindTools, type BoundTool, type ToolCaller } from './code-mode/bind-tools.js';
