import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClaudeAgentAdapter, type ClaudeAgentServer } from '@mcp-fittings/adapter-claude-agent';
import { createTools } from '@mcp-fittings/tools';
import type { AdapterDriver, Failure, ModelResult, ScriptedCall } from '../suite/driver.js';
import { startMessagesApi, type Block, type MessagesRequest } from '../servers/messages-api.mjs';

/** What the driver needs of `@anthropic-ai/claude-agent-sdk`, in any version. */
export interface ClaudeAgentSdk {
  readonly version: string;
  /** Runs Claude Code with these options until it has finished. */
  query(options: QueryOptions): Promise<void>;
}

/** Options of a query that all versions have. */
export interface QueryOptions {
  readonly mcpServers: Record<string, ClaudeAgentServer>;
  readonly canUseTool: CanUseTool;
  readonly abortController: AbortController;
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
}

type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: { signal: AbortSignal; toolUseID: string },
) => Promise<
  { behavior: 'allow'; updatedInput?: Record<string, unknown> } | { behavior: 'deny'; message: string }
>;

/** Drives the Claude Agent SDK with the program of Claude Code, which talks to a Messages API on loopback. */
export function claudeAgentDriver(sdk: ClaudeAgentSdk): AdapterDriver {
  return {
    framework: `@anthropic-ai/claude-agent-sdk ${sdk.version}`,
    differs: { unknownTool: 'the model is told' },
    async open(host, { policy, approve, timeoutMs }) {
      const folder = await mkdtemp(join(tmpdir(), 'fittings-claude-'));
      const tools = createTools(host, { policy });
      const progress: string[] = [];
      const failures: Failure[] = [];
      const adapter = createClaudeAgentAdapter(host, tools, {
        timeoutMs,
        alwaysLoad: true,
        canUseTool: async (toolName, _, { decisionReason }) =>
          (await approve(`${toolName}: ${decisionReason}`))
            ? { behavior: 'allow' }
            : { behavior: 'deny', message: 'The user declined.' },
        onEvent(event) {
          if (event.type === 'progress') progress.push(`${event.progress}/${event.total}`);
          if (event.type === 'partial') progress.push(event.text);
          if (event.type === 'error') failures.push(event.error);
        },
      });
      return {
        async run(calls, { signal } = {}) {
          progress.length = 0;
          failures.length = 0;
          await using api = await startMessagesApi(({ messages }) =>
            resultBlocks(messages).length === 0 && calls.length > 0
              ? calls.map(toolUse)
              : [{ type: 'text', text: 'Done.' }],
          );
          const abortController = new AbortController();
          signal?.addEventListener('abort', () => abortController.abort());
          let error: unknown;
          try {
            await sdk.query({
              mcpServers: adapter.mcpServers(),
              canUseTool: adapter.canUseTool,
              abortController,
              cwd: folder,
              env: api.env(folder),
            });
          } catch (thrown) {
            error = thrown;
          }
          const [first] = api.requests;
          const last = api.requests.at(-1);
          return {
            offered: (first?.tools ?? []).map(({ name, description, input_schema: schema }) => ({
              name,
              description,
              schema,
            })),
            results: last === undefined ? [] : results(last, calls),
            progress: [...progress],
            failures: [...failures],
            error,
          };
        },
        async [Symbol.asyncDispose]() {
          adapter[Symbol.dispose]();
          await tools.close();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

function toolUse({ tool, args }: ScriptedCall, index: number): Block {
  return { type: 'tool_use', id: `toolu_${index}`, name: tool, input: args ?? {} };
}

const resultBlocks = (messages: MessagesRequest['messages']): readonly Block[] =>
  messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .filter(({ type }) => type === 'tool_result');

/** Reads the results that the model was sent, in the order of the calls. */
function results({ messages }: MessagesRequest, calls: readonly ScriptedCall[]): readonly ModelResult[] {
  const blocks = resultBlocks(messages);
  return calls.flatMap((_, index) =>
    blocks.filter(({ tool_use_id: id }) => id === `toolu_${index}`).map(modelResult),
  );
}

function modelResult({ content = '', is_error: isError = false }: Block): ModelResult {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  // Claude Code adds what it has to say to the last result.
  const texts = parts.flatMap(({ text = '' }) => (text.startsWith('<system-reminder>') ? [] : [text]));
  return {
    text: texts
      .filter((text) => text !== '')
      .join('\n')
      .trim(),
    images: parts.flatMap(({ source }) =>
      source === undefined ? [] : [`data:${source.media_type};base64,${source.data}`],
    ),
    isError,
  };
}
