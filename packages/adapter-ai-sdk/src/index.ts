/**
 * MCP servers in the AI SDK (`ai`, `@ai-sdk/mcp`).
 * @packageDocumentation
 */
export {
  createAiSdkAdapter,
  type AiSdkAdapter,
  type AiSdkAdapterOptions,
  type AiSdkAdapterTool,
} from './ai-sdk-adapter.js';
export type { AiSdkCallOutput } from './call-output.js';
export { toAiSdkTransport, type AiSdkTransport } from './ai-sdk-transport.js';
