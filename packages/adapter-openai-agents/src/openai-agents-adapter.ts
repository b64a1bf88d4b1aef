import type { Host } from '@mcp-fittings/host';
import type { NameLimits, ToolEvent, Tools } from '@mcp-fittings/tools';
import { createMcpServer, type OpenAiAgentsServer } from './mcp-server.js';

/**
 * Names that the SDK does not change, for `nameLimits` of `createTools`. It replaces `-` with `_`, and throws if two names are equal
 * after that.
 */
export const openAiAgentsNameLimits: NameLimits = { maxLength: 64, allowed: /[A-Za-z0-9_]/ };

/** Options of {@link createOpenAiAgentsAdapter}. */
export interface OpenAiAgentsAdapterOptions<Members extends object = object> {
  /**
   * `invalidateServerToolsCache` of `@openai/agents`. With it, the SDK keeps the lists of tools (`cacheToolsList`), and the adapter
   * drops a list when it changes. The SDK keeps them by the name of the server, for the whole process: not for hosts whose
   * servers have the same names and different tools. Default: none, so that the SDK asks in each turn. The host has the lists in
   * memory.
   */
  readonly invalidateServerToolsCache?: ((serverName: string) => Promise<void>) | undefined;
  /**
   * Members of `MCPServer` that only the SDK reads, for each server: `toolFilter`, `toolMetaResolver`, `customDataExtractor`,
   * `useStructuredContent`, guardrails. A `toolFilter` sees the names that the model sees. Default: none.
   */
  readonly members?: ((server: string) => Members) | undefined;
  /**
   * Called with each event of each call: progress, messages of the server, and last the result or the error with its `delivery`. The
   * SDK has no place for them, and does not tell a server the id that the model gave the call. If it throws, the SDK reports the call as
   * failed. Default: none.
   */
  readonly onEvent?:
    | ((
        event: ToolEvent,
        call: {
          /** Name of the server in the host. */
          readonly server: string;
          /** Name by which the model called the tool. */
          readonly toolName: string;
        },
      ) => void)
    | undefined;
  /** Maximum time of a call without a result or progress, in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
}

/** The servers of a host for the OpenAI Agents SDK. Dispose of it when you close the host. */
export interface OpenAiAgentsAdapter<Members extends object = object> extends Disposable {
  /**
   * Returns an object for each server that the host has now, the same one each time, for `mcpServers` of an agent. With `spill` of
   * `createTools`, there is one more, for `read_result`.
   */
  mcpServers(): (OpenAiAgentsServer & Members)[];
}

/**
 * Offers the servers of a host to agents of the OpenAI Agents SDK. Names, permissions and results are those of `createTools`: names are
 * unique over all servers, which the SDK requires.
 * @param host The host whose servers the agents use. It stays open when an agent closes a server.
 * @param tools The tools of `createTools(host, { nameLimits: openAiAgentsNameLimits })`.
 * @example
 * ```ts
 * const tools = createTools(host, { policy, confirm, nameLimits: openAiAgentsNameLimits });
 * const adapter = createOpenAiAgentsAdapter(host, tools);
 * const agent = new Agent({ name: 'Assistant', mcpServers: adapter.mcpServers() });
 * const { finalOutput } = await run(agent, 'What is 40 + 2?');
 * ```
 */
export function createOpenAiAgentsAdapter<Members extends object = object>(
  host: Pick<Host, 'on' | 'servers' | 'start'>,
  tools: Tools,
  options: OpenAiAgentsAdapterOptions<Members> & { readonly members: (server: string) => Members },
): OpenAiAgentsAdapter<Members>;
/** Offers the servers without members for the SDK. */
export function createOpenAiAgentsAdapter(
  host: Pick<Host, 'on' | 'servers' | 'start'>,
  tools: Tools,
  options?: OpenAiAgentsAdapterOptions,
): OpenAiAgentsAdapter;
export function createOpenAiAgentsAdapter(
  host: Pick<Host, 'on' | 'servers' | 'start'>,
  tools: Tools,
  options: OpenAiAgentsAdapterOptions = {},
): OpenAiAgentsAdapter {
  const { invalidateServerToolsCache: invalidate, members } = options;
  const known = new Map<string, OpenAiAgentsServer>();
  const drop = ({ server }: { readonly server: string }): void => {
    // The function of the SDK cannot fail; another one must not end the process.
    invalidate?.(server).catch(() => undefined);
  };
  const listening = invalidate === undefined ? [] : [host.on('catalog', drop), host.on('state', drop)];
  const serverNamed = (name: string): OpenAiAgentsServer => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const server = createMcpServer(name, host, tools, options);
    const extended = members === undefined ? server : Object.assign(server, members(server.name));
    known.set(name, extended);
    return extended;
  };
  return {
    mcpServers() {
      const hasOwnTools = tools.snapshot().tools.some(({ ref }) => ref.server === '');
      return [...(hasOwnTools ? [''] : []), ...host.servers().map(({ name }) => name)].map(serverNamed);
    },
    [Symbol.dispose]() {
      for (const each of listening) each[Symbol.dispose]();
    },
  };
}
