/**
 * Typed functions for the tools of servers: for code that a model writes, and for programs. Nothing here executes code.
 * @packageDocumentation
 */
export { toTypeScript, type TypeScriptBindings } from './code-mode/to-typescript.js';
export type { DescribedTool, GeneratedFile } from './code-mode/server-types.js';
export { generateClient, generateTypes, type GenerateOptions } from './code-mode/generate-files.js';
export {
  createToolDispatcher,
  type DispatchOptions,
  type ToolDispatcher,
  type ToolReply,
} from './code-mode/tool-dispatcher.js';
export { serveToolCalls, type ToolCallPort } from './code-mode/message-port.js';
export { bindTools, type ToolCaller } from './code-mode/bind-tools.js';
