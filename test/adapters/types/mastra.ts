/**
 * Compiled by `test/adapters/run.mjs` with each supported TypeScript: the types of Mastra, newest and oldest, accept ours without a cast,
 * under strict settings.
 */
import { createMastraAdapter } from '@mcp-fittings/adapter-mastra';
import { authorizedFetch } from '@mcp-fittings/auth-oauth';
import type { AuthProvider } from '@mcp-fittings/client-core';
import type { Tools } from '@mcp-fittings/tools';
import { Agent, type ToolsInput, type ToolsetsInput } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { MCPClient, type MastraMCPServerDefinition } from '@mastra/mcp';
import {
  Agent as OldestAgent,
  type ToolsInput as OldestTools,
  type ToolsetsInput as OldestToolsets,
} from 'mastra-core-oldest/agent';
import { createTool as createOldestTool } from 'mastra-core-oldest/tools';

declare const tools: Tools;
declare const provider: AuthProvider;
const rest = { id: 'clerk', name: 'Clerk', instructions: 'Help.', model: 'openai/gpt-5.1' };

export async function newest(): Promise<void> {
  const adapter = createMastraAdapter(tools, { createTool: (fields) => createTool(fields) });
  const theirs: ToolsInput = adapter.tools();
  const sets: ToolsetsInput = adapter.toolsets();
  const agent = new Agent({ ...rest, tools: () => adapter.tools() });
  void new Agent({ ...rest, tools: { ...theirs, ...adapter.tools() } });
  await agent.generate('Hello', { toolsets: sets });
  await agent.stream('Hello', { toolsets: adapter.toolsets() });
}

export async function oldest(): Promise<void> {
  const adapter = createMastraAdapter(tools, { createTool: (fields) => createOldestTool(fields) });
  const theirs: OldestTools = adapter.tools();
  const sets: OldestToolsets = adapter.toolsets();
  const agent = new OldestAgent({ ...rest, tools: () => adapter.tools() });
  void new OldestAgent({ ...rest, tools: theirs });
  await agent.generate('Hello', { toolsets: sets });
}

export function definitions(): MCPClient {
  const url = new URL('https://mcp.example.com/mcp');
  const definition: MastraMCPServerDefinition = { url, fetch: authorizedFetch(provider, { url }) };
  return new MCPClient({ servers: { docs: definition } });
}
