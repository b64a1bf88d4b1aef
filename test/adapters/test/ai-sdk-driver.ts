import { createAiSdkAdapter, type AiSdkAdapter, type AiSdkCallOutput } from '@mcp-fittings/adapter-ai-sdk';
import { createTools } from '@mcp-fittings/tools';
import type { AdapterAgent, AdapterDriver, ModelResult, OfferedTool, ScriptedCall } from '../suite/driver.js';

/** What the driver needs of `ai` and `ai/test`, in version 6 or 7. */
export interface AiSdk {
  readonly version: string;
  readonly major: 6 | 7;
  generateText(options: object): Promise<TextResult>;
  streamText(options: object): StreamedResult;
  stepCountIs(count: number): unknown;
  /** The mock model of the framework. */
  mockModel(answer: (request: ModelRequest) => readonly ModelContent[]): object;
}

/** What a mock model receives. */
export interface ModelRequest {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly object[] | undefined;
}

/** What a mock model answers with. */
export type ModelContent =
  { type: 'text'; text: string } | { type: 'tool-call'; toolCallId: string; toolName: string; input: string };

interface TextResult {
  readonly content: readonly object[];
  readonly response: { readonly messages: readonly object[] };
}

interface StreamedResult {
  readonly fullStream: AsyncIterable<object>;
  readonly content: PromiseLike<readonly object[]>;
  readonly response: PromiseLike<{ readonly messages: readonly object[] }>;
}

interface Part {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Drives the AI SDK with `generateText` or `streamText`. */
export function aiSdkDriver(ai: AiSdk, method: 'generateText' | 'streamText'): AdapterDriver {
  return {
    framework: `ai ${ai.version}, ${method}`,
    differs: { unknownTool: 'the model is told' },
    async open(host, { policy, approve, timeoutMs }) {
      const tools = createTools(host, { policy });
      const outputs: AiSdkCallOutput[] = [];
      const common = { timeoutMs, onOutput: (output: AiSdkCallOutput) => outputs.push(output) };
      const adapter: AiSdkAdapter =
        ai.major === 6
          ? createAiSdkAdapter(tools, { version: 6, ...common })
          : createAiSdkAdapter(tools, common);
      const agent: AdapterAgent = {
        async run(calls, { signal } = {}) {
          outputs.length = 0;
          const seen: ModelRequest[] = [];
          const preliminary: AiSdkCallOutput[] = [];
          const model = ai.mockModel((request) => {
            seen.push(request);
            return seen.length === 1 && calls.length > 0
              ? calls.map(toolCall)
              : [{ type: 'text', text: 'Done.' }];
          });
          const messages: object[] = [{ role: 'user', content: 'Do it.' }];
          const report = async (error?: unknown) => ({
            offered: offeredTools(seen[0]),
            results: results(seen.at(-1), calls),
            progress: (method === 'streamText' ? preliminary : outputs)
              .filter(({ status }) => status === 'running')
              .flatMap(({ text, progress, total }) => [text, `${progress}/${total}`]),
            failures: outputs.flatMap(({ error: failure }) => (failure === undefined ? [] : [failure])),
            error,
          });
          for (;;) {
            const options = {
              model,
              messages,
              tools: adapter.toolSet(),
              stopWhen: ai.stepCountIs(5),
              maxRetries: 0,
              ...(signal !== undefined && { abortSignal: signal }),
            };
            let result: TextResult;
            try {
              result =
                method === 'generateText'
                  ? await ai.generateText(options)
                  : await streamed(ai.streamText({ ...options, onError: () => undefined }), preliminary);
            } catch (error) {
              return report(error);
            }
            const requests = (result.content as Part[]).filter(
              ({ type }) => type === 'tool-approval-request',
            );
            if (requests.length === 0) return report();
            messages.push(...result.response.messages);
            const content = [];
            for (const { approvalId, toolCall: asked } of requests)
              content.push({
                type: 'tool-approval-response',
                approvalId,
                approved: await approve(JSON.stringify(asked)),
              });
            messages.push({ role: 'tool', content });
          }
        },
        [Symbol.asyncDispose]: () => tools.close(),
      };
      return agent;
    },
  };
}

/** Reads the stream to its end. */
async function streamed(stream: StreamedResult, preliminary: AiSdkCallOutput[]): Promise<TextResult> {
  for await (const part of stream.fullStream as AsyncIterable<Part>) {
    if (part.type === 'tool-result' && part['preliminary'] === true)
      preliminary.push(part['output'] as AiSdkCallOutput);
    if (part.type === 'error') throw part['error'];
    if (part.type === 'abort') throw new Error('aborted');
  }
  return { content: await stream.content, response: await stream.response };
}

function toolCall({ tool, args }: ScriptedCall, index: number): ModelContent {
  return {
    type: 'tool-call',
    toolCallId: `call-${index}`,
    toolName: tool,
    input: JSON.stringify(args ?? {}),
  };
}

function offeredTools(request: ModelRequest | undefined): readonly OfferedTool[] {
  return (request?.tools ?? []).map((tool) => {
    const { name, description, inputSchema } = tool as Part;
    return { name: String(name), description: String(description), schema: inputSchema };
  });
}

/** Reads the results that a model was sent, in the order of the calls. */
function results(request: ModelRequest | undefined, calls: readonly ScriptedCall[]): readonly ModelResult[] {
  const parts = (request?.prompt ?? [])
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content as Part[])
    .filter(({ type }) => type === 'tool-result');
  return calls.flatMap((_, index) =>
    parts
      .filter(({ toolCallId }) => toolCallId === `call-${index}`)
      .map(({ output }) => modelResult(output as Part)),
  );
}

function modelResult(output: Part): ModelResult {
  const isError = output.type !== 'content';
  if (output.type !== 'content')
    return { text: String(output['value'] ?? output['reason'] ?? output.type), images: [], isError };
  const content = output['value'] as Part[];
  const text = content.filter(({ type }) => type === 'text').map((part) => String(part['text']));
  const images = content
    .filter(({ type }) => type !== 'text')
    .map(({ mediaType, data }) => {
      const base64 = typeof data === 'string' ? data : (data as { data: string }).data;
      return `data:${String(mediaType)};base64,${base64}`;
    });
  return { text: text.join('\n'), images, isError };
}
