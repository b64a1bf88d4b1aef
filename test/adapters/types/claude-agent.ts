/**
 * Compiled by `test/adapters/run.mjs` with each supported TypeScript: the types of the Claude Agent SDK, newest and oldest, accept ours
 * without a cast, under strict settings, and ours accept theirs.
 */
import type {
  CanUseTool,
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  OnElicitation,
  Options,
  Query,
} from '@anthropic-ai/claude-agent-sdk';
import {
  createClaudeAgentAdapter,
  fromOnElicitation,
  toOnElicitation,
} from '@mcp-fittings/adapter-claude-agent';
import type { Host, HostCallbacks } from '@mcp-fittings/host';
import type { Tools } from '@mcp-fittings/tools';
import type {
  CanUseTool as OldestCanUseTool,
  McpServerConfig as OldestServerConfig,
  OnElicitation as OldestOnElicitation,
  Options as OldestOptions,
} from 'claude-agent-sdk-oldest';

declare const host: Host;
declare const tools: Tools;
declare const elicit: NonNullable<HostCallbacks['elicit']>;

export async function newest(
  query: Query,
  canUseTool: CanUseTool,
  onElicitation: OnElicitation,
): Promise<Options> {
  const plain = createClaudeAgentAdapter(host, tools);
  const decided: CanUseTool = plain.canUseTool;
  const servers: Record<string, McpServerConfig> = plain.mcpServers();
  const [first]: McpSdkServerConfigWithInstance[] = Object.values(plain.mcpServers());
  await query.setMcpServers({ ...servers, ...(first !== undefined && { again: first }) });

  const asking = createClaudeAgentAdapter(host, tools, { canUseTool, alwaysLoad: true, timeoutMs: 1_000 });
  const callbacks: HostCallbacks = { elicit: fromOnElicitation(onElicitation) };
  return {
    mcpServers: { ...asking.mcpServers(), other: { command: 'other-server' } },
    canUseTool: callbacks.elicit === undefined ? decided : asking.canUseTool,
    onElicitation: toOnElicitation(elicit),
  };
}

export function oldest(canUseTool: OldestCanUseTool, onElicitation: OldestOnElicitation): OldestOptions {
  const plain = createClaudeAgentAdapter(host, tools);
  const decided: OldestCanUseTool = plain.canUseTool;
  const servers: Record<string, OldestServerConfig> = plain.mcpServers();
  const asking = createClaudeAgentAdapter(host, tools, { canUseTool });
  const callbacks: HostCallbacks = { elicit: fromOnElicitation(onElicitation) };
  return {
    mcpServers: { ...servers, ...asking.mcpServers() },
    canUseTool: callbacks.elicit === undefined ? decided : asking.canUseTool,
    onElicitation: toOnElicitation(elicit),
  };
}
