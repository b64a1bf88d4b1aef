/**
 * Compiled by `test/adapters/run.mjs` with each supported TypeScript: the types of the AI SDK, newest and oldest, accept ours without a
 * cast, under strict settings.
 */
import { createAiSdkAdapter, toAiSdkTransport } from '@mcp-fittings/adapter-ai-sdk';
import type { Transport } from '@mcp-fittings/client-core';
import type { Tools } from '@mcp-fittings/tools';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import {
  generateText,
  streamText,
  ToolLoopAgent,
  type LanguageModel,
  type ModelMessage,
  type Tool,
  type ToolSet,
} from 'ai';
import {
  generateText as generateText6,
  streamText as streamText6,
  ToolLoopAgent as ToolLoopAgent6,
  type LanguageModel as LanguageModel6,
  type ModelMessage as ModelMessage6,
  type ToolSet as ToolSet6,
} from 'ai-oldest';
import { createMCPClient, type MCPTransport } from '@ai-sdk/mcp';
import {
  createMCPClient as createOldestMCPClient,
  type MCPTransport as OldestTransport,
} from 'ai-sdk-mcp-oldest';

declare const tools: Tools;
declare const model: LanguageModel;
declare const messages: ModelMessage[];
declare const model6: LanguageModel6;
declare const messages6: ModelMessage6[];
declare const transport: Transport;

export async function newest(mine: Tool): Promise<void> {
  const adapter = createAiSdkAdapter(tools, { timeoutMs: 1_000 });
  const set: ToolSet = adapter.toolSet();
  await generateText({ model, messages, tools: set });
  await generateText({ model, messages, tools: { ...adapter.toolSet(), mine } });
  streamText({ model, messages, tools: adapter.toolSet(), toolApproval: {} });
  const agent = new ToolLoopAgent({ model, tools: adapter.toolSet() });
  await agent.generate({ messages });
}

export async function oldest(): Promise<void> {
  const adapter = createAiSdkAdapter(tools, { version: 6, approval: 'confirm' });
  const set: ToolSet6 = adapter.toolSet();
  await generateText6({ model: model6, messages: messages6, tools: set });
  streamText6({ model: model6, messages: messages6, tools: adapter.toolSet() });
  const agent = new ToolLoopAgent6({ model: model6, tools: adapter.toolSet() });
  await agent.generate({ messages: messages6 });
}

export async function transports(): Promise<void> {
  for (const ours of [
    transport,
    createStdioTransport({ command: 'node' }),
    createHttpTransport({ url: 'https://example.com/mcp' }),
  ]) {
    const adapted = toAiSdkTransport(ours);
    const theirs: MCPTransport = adapted;
    const oldest: OldestTransport = adapted;
    await createMCPClient({ transport: theirs });
    await createOldestMCPClient({ transport: oldest });
  }
}
