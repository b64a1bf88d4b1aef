import {
  createLangChainAdapter,
  type LangChainArtifact,
  type LangChainToolFields,
  type LangChainToolMessageFields,
} from '@mcp-fittings/adapter-langchain';
import { createTools } from '@mcp-fittings/tools';
import type { AdapterDriver, Failure, ModelResult, OfferedTool } from '../suite/driver.js';

/** What the driver needs of `@langchain/core`, and of an agent. */
export interface LangChain<Tool, Message> {
  readonly version: string;
  readonly createTool: (fields: LangChainToolFields) => Tool;
  readonly createMessage: (fields: LangChainToolMessageFields) => Message;
  /** Runs an agent with these tools. `answer` is its model, and gets the messages of each request and the tools that are bound. */
  run(
    tools: Tool[],
    answer: (messages: readonly unknown[], offered: readonly FunctionTool[]) => ModelAnswer,
    options: { readonly signal?: AbortSignal },
  ): Promise<void>;
}

/** A tool as LangChain sends it to a model of OpenAI. */
export interface FunctionTool {
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

/** What a model answers with. */
export interface ModelAnswer {
  readonly content: string;
  readonly tool_calls: {
    readonly id: string;
    readonly name: string;
    readonly args: Record<string, unknown>;
  }[];
}

interface ToolMessageOfRun {
  readonly tool_call_id?: string;
  readonly content: unknown;
  readonly status?: string;
  readonly artifact?: LangChainArtifact;
}

/** Drives LangChain. */
export function langChainDriver<Tool, Message>(langchain: LangChain<Tool, Message>): AdapterDriver {
  return {
    framework: langchain.version,
    differs: { unknownTool: 'the model is told' },
    async open(host, { policy, approve, timeoutMs }) {
      const confirm = async ({ text }: { readonly text: string }) =>
        (await approve(text)) ? 'once' : 'cancel';
      const tools = createTools(host, { policy, confirm });
      const progress: string[] = [];
      const adapter = createLangChainAdapter(tools, {
        createTool: langchain.createTool,
        createMessage: langchain.createMessage,
        timeoutMs,
        onEvent(event) {
          if (event.type === 'progress') progress.push(`${event.progress}/${event.total}`);
          if (event.type === 'partial') progress.push(event.text);
        },
      });
      return {
        async run(calls, { signal } = {}) {
          progress.length = 0;
          let requests = 0;
          let offered: readonly OfferedTool[] = [];
          let last: readonly unknown[] = [];
          let error: unknown;
          const answer = (messages: readonly unknown[], bound: readonly FunctionTool[]): ModelAnswer => {
            offered = bound.map(({ function: { name, description = '', parameters } }) => ({
              name,
              description,
              schema: parameters,
            }));
            last = [...messages];
            if (requests++ > 0 || calls.length === 0) return { content: 'Done.', tool_calls: [] };
            const tool_calls = calls.map(({ tool: name, args = {} }, index) => ({
              id: `call-${index}`,
              name,
              args: args as Record<string, unknown>,
            }));
            return { content: '', tool_calls };
          };
          try {
            await langchain.run(adapter.structuredTools(), answer, signal === undefined ? {} : { signal });
          } catch (thrown) {
            error = thrown;
          }
          const messages = calls.flatMap((_, index) =>
            (last as ToolMessageOfRun[]).filter(({ tool_call_id: id }) => id === `call-${index}`),
          );
          return {
            offered,
            results: messages.map(modelResult),
            progress: [...progress],
            failures: messages.flatMap(({ artifact }): Failure[] =>
              artifact?.error === undefined ? [] : [artifact.error],
            ),
            error,
          };
        },
        [Symbol.asyncDispose]: () => tools.close(),
      };
    },
  };
}

function modelResult({ content, status }: ToolMessageOfRun): ModelResult {
  const isError = status === 'error';
  if (typeof content === 'string') return { text: content, images: [], isError };
  const blocks = content as { type: string; text?: string; data?: string; mimeType?: string }[];
  return {
    text: blocks.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n'),
    images: blocks.flatMap(({ type, data, mimeType }) =>
      type === 'image' ? [`data:${mimeType};base64,${data}`] : [],
    ),
    isError,
  };
}
