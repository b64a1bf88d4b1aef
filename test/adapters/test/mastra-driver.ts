import { createMastraAdapter, type MastraAdapter, type MastraToolFields } from '@mcp-fittings/adapter-mastra';
import { createTools, type ToolCallOutput } from '@mcp-fittings/tools';
import type { AdapterDriver, ModelResult, OfferedTool } from '../suite/driver.js';

/** What the driver needs of `@mastra/core`. */
export interface Mastra<Tool> {
  readonly version: string;
  readonly createTool: (fields: MastraToolFields) => Tool;
  /** Makes an agent with Mastra's own mock model, which answers with `answer`, and a storage. */
  openAgent(adapter: MastraAdapter<Tool>, answer: (request: ModelRequest) => ModelAnswer): MastraAgent;
}

/** An agent. Each method starts or resumes a run, and reads its stream to the end. */
export interface MastraAgent {
  run(options: { readonly abortSignal?: AbortSignal }): Promise<AgentRun>;
  answer(
    question: { readonly runId: string; readonly toolCallId: string },
    agreed: boolean,
  ): Promise<AgentRun>;
}

/** What a run emitted until it ended or was suspended. */
export interface AgentRun {
  readonly runId: string;
  readonly chunks: readonly Chunk[];
}

/** A chunk of the stream of an agent. */
export interface Chunk {
  readonly type: string;
  readonly payload?: unknown;
}

/** What a model receives. */
export interface ModelRequest {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly object[] | undefined;
}

/** What a model answers with. */
export type ModelAnswer =
  | { readonly text: string }
  | {
      readonly calls: readonly {
        readonly toolCallId: string;
        readonly toolName: string;
        readonly input: string;
      }[];
    };

interface Part {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Drives agents of Mastra, whose tools are in the agent or in the toolsets of a turn. */
export function mastraDriver<Tool>(mastra: Mastra<Tool>): AdapterDriver {
  return {
    framework: mastra.version,
    differs: { unknownTool: 'the model is told' },
    async open(host, { policy, approve, timeoutMs }) {
      const tools = createTools(host, { policy });
      const adapter = createMastraAdapter(tools, { createTool: mastra.createTool, timeoutMs });
      return {
        async run(calls, { signal } = {}) {
          const seen: ModelRequest[] = [];
          const agent = mastra.openAgent(adapter, (request) => {
            seen.push(request);
            if (seen.length > 1 || calls.length === 0) return { text: 'Done.' };
            return {
              calls: calls.map(({ tool: toolName, args = {} }, index) => ({
                toolCallId: `call-${index}`,
                toolName,
                input: JSON.stringify(args),
              })),
            };
          });
          const chunks: Chunk[] = [];
          let error: unknown;
          try {
            let run = await agent.run(signal === undefined ? {} : { abortSignal: signal });
            chunks.push(...run.chunks);
            for (;;) {
              const question = run.chunks.find(({ type }) => type === 'tool-call-approval');
              if (question === undefined) break;
              const { toolCallId, ...asked } = question.payload as { readonly toolCallId: string };
              run = await agent.answer(
                { runId: run.runId, toolCallId },
                await approve(JSON.stringify(asked)),
              );
              chunks.push(...run.chunks);
            }
          } catch (thrown) {
            error = thrown;
          }
          const payloads = (wanted: string): readonly Part[] =>
            chunks.filter(({ type }) => type === wanted).map(({ payload }) => payload as Part);
          return {
            offered: offeredTools(seen[0]),
            results: calls.flatMap((_, index) => resultsOf(seen.at(-1), `call-${index}`)),
            progress: payloads('tool-output').flatMap(({ output }) => {
              const { text, progress, total } = output as Part;
              return text === undefined ? [`${String(progress)}/${String(total)}`] : [String(text)];
            }),
            failures: payloads('tool-result').flatMap(({ result }) => {
              const failure = (result as ToolCallOutput).error;
              return failure === undefined ? [] : [failure];
            }),
            error,
          };
        },
        [Symbol.asyncDispose]: () => tools.close(),
      };
    },
  };
}

function offeredTools(request: ModelRequest | undefined): readonly OfferedTool[] {
  return (request?.tools ?? []).map((tool) => {
    const { name, description, inputSchema } = tool as Part;
    return { name: String(name), description: String(description), schema: inputSchema };
  });
}

/** Reads the results of a call that a model was sent. */
function resultsOf(request: ModelRequest | undefined, id: string): readonly ModelResult[] {
  return (request?.prompt ?? [])
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content as Part[])
    .filter(({ type, toolCallId }) => type === 'tool-result' && toolCallId === id)
    .map(({ output }) => modelResult(output as Part));
}

function modelResult({ type, value, reason }: Part): ModelResult {
  const isError = type !== 'content';
  if (isError) return { text: String(value ?? reason ?? type), images: [], isError };
  const parts = value as Part[];
  return {
    text: parts.flatMap(({ text }) => (text === undefined ? [] : [String(text)])).join('\n'),
    images: parts
      .filter((part) => part.type !== 'text')
      .map(({ mediaType, data }) => `data:${String(mediaType)};base64,${String(data)}`),
    isError,
  };
}
