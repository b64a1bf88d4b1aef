/**
 * MCP servers in the AI SDK (`ai`, `@ai-sdk/mcp`).
 * @packageDocumentation
 */
export {
  createAiSdkAdapter,
  type AiSdkAdapter,
  type AiSdkAdapterOptions,
  type AiSdkAdapterSchema,
  type AiSdkAdapterTool,
} from './ai-sdk-adapter.js';
export type { AiSdkCall, AiSdkCallOutput } from './call-output.js';
export { toAiSdkTransport, type AiSdkTransport, type AiSdkSendOptions } from './ai-sdk-transport.js';
