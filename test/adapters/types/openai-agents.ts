/**
 * Compiled by `test/adapters/run.mjs` with each supported TypeScript: the types of the OpenAI Agents SDK, newest and oldest, accept ours
 * without a cast, under strict settings.
 */
import { createOpenAiAgentsAdapter } from '@mcp-fittings/adapter-openai-agents';
import type { Host } from '@mcp-fittings/host';
import type { Tools } from '@mcp-fittings/tools';
import {
  Agent,
  getAllMcpTools,
  invalidateServerToolsCache,
  run,
  type MCPServer,
  type MCPToolFilterCallable,
} from '@openai/agents';
import {
  Agent as OldestAgent,
  getAllMcpTools as getAllOldestTools,
  invalidateServerToolsCache as invalidateOldest,
  run as runOldest,
  type MCPServer as OldestServer,
} from 'openai-agents-oldest';

declare const host: Host;
declare const tools: Tools;
declare const toolFilter: MCPToolFilterCallable;

export async function newest(): Promise<void> {
  const plain: MCPServer[] = createOpenAiAgentsAdapter(host, tools).mcpServers();
  const extended: MCPServer[] = createOpenAiAgentsAdapter(host, tools, {
    invalidateServerToolsCache,
    members: (server) => ({
      toolFilter: server === 'mine' ? toolFilter : { allowedToolNames: ['mcp__demo__echo'] },
      toolMetaResolver: () => ({ 'example.com/tenant': 'a' }),
      useStructuredContent: true,
      errorFunction: null,
    }),
  }).mcpServers();
  await getAllMcpTools({ mcpServers: [...plain, ...extended], convertSchemasToStrict: true });
  await run(new Agent({ name: 'Agent', mcpServers: plain }), 'Hi');
}

export async function oldest(): Promise<void> {
  const plain: OldestServer[] = createOpenAiAgentsAdapter(host, tools).mcpServers();
  const extended: OldestServer[] = createOpenAiAgentsAdapter(host, tools, {
    invalidateServerToolsCache: invalidateOldest,
    members: () => ({ toolFilter: { blockedToolNames: ['mcp__demo__echo'] }, errorFunction: null }),
  }).mcpServers();
  await getAllOldestTools([...plain, ...extended]);
  await runOldest(new OldestAgent({ name: 'Agent', mcpServers: plain }), 'Hi');
}
