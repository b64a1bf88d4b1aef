import {
  createOpenAiAgentsAdapter,
  openAiAgentsNameLimits,
  type OpenAiAgentsServer,
} from '@mcp-fittings/adapter-openai-agents';
import { createTools } from '@mcp-fittings/tools';
import type { AdapterDriver, Failure, ModelResult, ScriptedCall } from '../suite/driver.js';

/** What the driver needs of `@openai/agents`, in any version. */
export interface OpenAiAgents {
  readonly version: string;
  /** Whether the SDK passes the signal of a run to its calls. */
  readonly passesSignal: boolean;
  /** Runs an agent with these servers. The SDK has no mock model: `answer` is one, of its `Model` interface. */
  run(
    servers: readonly OpenAiAgentsServer[],
    answer: (request: ModelRequest) => readonly OutputItem[],
    options: { readonly signal?: AbortSignal },
  ): Promise<void>;
}

/** What a model receives. */
export interface ModelRequest {
  readonly input: unknown;
  readonly tools: readonly object[];
}

/** What a model answers with. */
export type OutputItem =
  | { type: 'function_call'; callId: string; name: string; status: 'completed'; arguments: string }
  | {
      type: 'message';
      role: 'assistant';
      status: 'completed';
      content: { type: 'output_text'; text: string }[];
    };

interface Item {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Drives the OpenAI Agents SDK. */
export function openAiAgentsDriver(sdk: OpenAiAgents): AdapterDriver {
  return {
    framework: `@openai/agents ${sdk.version}`,
    differs: { unknownTool: 'the run fails' },
    async open(host, { policy, approve, timeoutMs }) {
      // The SDK cannot ask about a tool of an MCPServer: `confirm` does, while the call waits.
      const confirm = async ({ text }: { readonly text: string }) =>
        (await approve(text)) ? 'once' : 'cancel';
      const tools = createTools(host, { policy, confirm, nameLimits: openAiAgentsNameLimits });
      const progress: string[] = [];
      const failures: Failure[] = [];
      const adapter = createOpenAiAgentsAdapter(host, tools, {
        timeoutMs,
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
          const seen: ModelRequest[] = [];
          const servers = adapter.mcpServers();
          for (const server of servers) await server.connect();
          if (!sdk.passesSignal)
            signal?.addEventListener('abort', () => void Promise.all(servers.map((each) => each.close())));
          const answer = (request: ModelRequest): readonly OutputItem[] => {
            seen.push({ ...request, input: structuredClone(request.input) });
            return seen.length === 1 && calls.length > 0 ? calls.map(functionCall) : [DONE];
          };
          let error: unknown;
          try {
            await sdk.run(servers, answer, signal === undefined ? {} : { signal });
          } catch (thrown) {
            error = thrown;
          }
          return {
            offered: (seen[0]?.tools ?? []).map((tool) => {
              const { name, description, parameters } = tool as Item;
              return { name: String(name), description: String(description), schema: parameters };
            }),
            results: results(seen.at(-1), calls),
            progress: [...progress],
            failures: [...failures],
            error,
          };
        },
        async [Symbol.asyncDispose]() {
          adapter[Symbol.dispose]();
          await tools.close();
        },
      };
    },
  };
}

const DONE: OutputItem = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Done.' }],
};

function functionCall({ tool, args }: ScriptedCall, index: number): OutputItem {
  const json = JSON.stringify(args ?? {});
  return { type: 'function_call', callId: `call-${index}`, name: tool, status: 'completed', arguments: json };
}

/** Reads the results that a model was sent, in the order of the calls. */
function results(request: ModelRequest | undefined, calls: readonly ScriptedCall[]): readonly ModelResult[] {
  const items = Array.isArray(request?.input) ? (request.input as Item[]) : [];
  return calls.flatMap((_, index) =>
    items
      .filter(({ type, callId }) => type === 'function_call_result' && callId === `call-${index}`)
      .map(({ output }) => modelResult(output)),
  );
}

function modelResult(output: unknown): ModelResult {
  if (typeof output === 'string') return { text: output, images: [] };
  const parts = (Array.isArray(output) ? output : [output]) as Item[];
  return {
    text: parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n'),
    images: parts.flatMap(({ type, image }) => (type === 'input_image' ? [String(image)] : [])),
  };
}
