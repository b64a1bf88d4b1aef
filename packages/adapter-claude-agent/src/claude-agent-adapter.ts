import type { Host } from '@mcp-fittings/host';
import { AskedCalls, type ToolEvent, type Tools } from '@mcp-fittings/tools';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  createCanUseTool,
  type ClaudeAgentCanUseTool,
  type ClaudeAgentPermissionOptions,
  type ClaudeAgentPermissionResult,
} from './permission.js';
import { createSdkServer } from './sdk-server.js';
import { sdkName, serverKeys, toolsOfServer } from './server-keys.js';

/** Options of {@link createClaudeAgentAdapter}. */
export interface ClaudeAgentAdapterOptions<
  Options extends ClaudeAgentPermissionOptions = ClaudeAgentPermissionOptions,
  Result extends ClaudeAgentPermissionResult | null = ClaudeAgentPermissionResult,
> {
  /**
   * Asks the user, in the form of the SDK: about a call that the policy does not decide, with the reason of the policy as
   * `decisionReason`, and about the tools that are not of this host, such as `Bash`. An approval holds for one call with the
   * arguments that the user saw. Default: none, so that `confirm` of `createTools` asks while the call waits, and tools of others are
   * denied.
   */
  readonly canUseTool?: ClaudeAgentCanUseTool<Options, Result> | undefined;
  /**
   * If true, the model is always shown all tools, and does not search for them. Default: as Claude Code decides.
   */
  readonly alwaysLoad?: boolean | undefined;
  /**
   * Called with each event of each call: progress, messages of the server, and last the result or the error with its `delivery`. If it
   * throws, the call ends with `CALLBACK_FAILED`. Default: none.
   */
  readonly onEvent?:
    | ((
        event: ToolEvent,
        call: {
          /** Name of the server in the host. */
          readonly server: string;
          /** Name by which the model called the tool. */
          readonly toolName: string;
          /** Id that the model gave the call. Undefined if the program itself called the tool. */
          readonly toolUseId: string | undefined;
        },
      ) => void)
    | undefined;
  /** Maximum time of a call without a result or progress, in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
}

/** A server that is assignable to `McpSdkServerConfigWithInstance` of the SDK. */
export interface ClaudeAgentServer {
  /** The server runs in this process. */
  type: 'sdk';
  /** Its key in `mcpServers`. */
  name: string;
  /** The server that the SDK connects. */
  instance: McpServer;
  /** The tools about which the SDK always asks `canUseTool`, also where a rule of Claude Code allows them. The SDK 0.2.91 ignores it. */
  tools?: { name: string; permission_policy: 'always_ask' }[];
}

/** The servers of a host for the Claude Agent SDK. Dispose of it when you close the host. */
export interface ClaudeAgentAdapter<
  Options extends ClaudeAgentPermissionOptions = ClaudeAgentPermissionOptions,
  Result extends ClaudeAgentPermissionResult | null = ClaudeAgentPermissionResult,
> extends Disposable {
  /**
   * Returns the servers that the host has now, for `mcpServers` of one `query()`, or for `setMcpServers()` of one that runs. Call
   * it anew for each: an instance can be connected once. A tool that a server adds or removes later reaches the running query.
   */
  mcpServers(): Record<string, ClaudeAgentServer>;
  /** For `canUseTool` of `query()`. Decides about the tools of the host by the policy of `createTools`. */
  readonly canUseTool: ClaudeAgentCanUseTool<Options, Result | ClaudeAgentPermissionResult>;
}

/**
 * Offers the servers of a host to agents of the Claude Agent SDK, as servers in this process. Schemas, permissions and results are those
 * of `createTools`; the names are, too, if they begin with `mcp__server__`, as by default.
 * @param host The host whose servers the agents use. It stays open.
 * @param tools The tools of `createTools(host, …)`. The adapter uses their policy, and does not close them.
 * @example
 * ```ts
 * const adapter = createClaudeAgentAdapter(host, createTools(host, { policy }), { canUseTool });
 * const options = { mcpServers: adapter.mcpServers(), canUseTool: adapter.canUseTool };
 * for await (const message of query({ prompt: 'What is 40 + 2?', options })) console.log(message);
 * ```
 */
export function createClaudeAgentAdapter<
  Options extends ClaudeAgentPermissionOptions = ClaudeAgentPermissionOptions,
  Result extends ClaudeAgentPermissionResult | null = ClaudeAgentPermissionResult,
>(
  host: Pick<Host, 'on' | 'servers'>,
  tools: Tools,
  options: ClaudeAgentAdapterOptions<Options, Result> = {},
): ClaudeAgentAdapter<Options, Result> {
  const { canUseTool: ask, alwaysLoad, onEvent, timeoutMs } = options;
  const asked = new AskedCalls();
  const used = new Set<McpServer>();
  const announce = (): void => {
    for (const { server } of used)
      // A connection that has just ended need not be told.
      server.sendToolListChanged().catch(() => undefined);
  };
  const listening = [host.on('catalog', announce), host.on('state', announce)];
  const onUse = (instance: McpServer, isUsed: boolean): void => {
    if (isUsed) used.add(instance);
    else used.delete(instance);
  };
  const keys = (): ReadonlyMap<string, string> => serverKeys(host.servers().map(({ name }) => name));

  return {
    mcpServers() {
      const toolset = tools.snapshot();
      return Object.fromEntries(
        [...keys()].flatMap(([server, key]): [string, ClaudeAgentServer][] => {
          const listed = [...toolsOfServer(toolset, server, key)];
          if (server === '' && listed.length === 0) return [];
          const deps = { tools, onUse, asked, alwaysLoad, onEvent, timeoutMs };
          const questioned = listed.filter(([, tool]) => toolset.verdict(tool.name)?.decision === 'ask');
          const policies = questioned.map(([name]) => ({ name, permission_policy: 'always_ask' as const }));
          const config = { type: 'sdk' as const, name: key, instance: createSdkServer(server, key, deps) };
          return [
            [key, ask === undefined || questioned.length === 0 ? config : { ...config, tools: policies }],
          ];
        }),
      );
    },
    canUseTool: createCanUseTool({
      asked,
      ask,
      find(toolName) {
        const toolset = tools.snapshot();
        for (const [server, key] of keys()) {
          if (!toolName.startsWith(sdkName(key, ''))) continue;
          const tool = toolsOfServer(toolset, server, key).get(toolName.slice(sdkName(key, '').length));
          if (tool !== undefined) return { tool, toolset };
        }
        return undefined;
      },
      onDenied: (event, { ref }, toolUseId, toolName) =>
        onEvent?.(event, { server: ref.server, toolName, toolUseId }),
    }),
    [Symbol.dispose]() {
      for (const each of listening) each[Symbol.dispose]();
      used.clear();
    },
  };
}
