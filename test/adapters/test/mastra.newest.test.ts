import { readFileSync } from 'node:fs';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { MastraLanguageModelV2Mock, simulateReadableStream } from '@mastra/core/test-utils/llm-mock';
import { createTool } from '@mastra/core/tools';
import { describeAdapter } from '../suite/adapter-suite.js';
import { mastraDriver, type AgentRun, type Chunk, type ModelAnswer } from './mastra-driver.js';

const { version } = JSON.parse(
  readFileSync(new URL('../node_modules/@mastra/core/package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** A part of the stream of a model. */
type StreamPart =
  Awaited<ReturnType<MastraLanguageModelV2Mock['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

function partsOf(answer: ModelAnswer): StreamPart[] {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  if ('text' in answer)
    return [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: answer.text },
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason: 'stop', usage },
    ];
  return [
    ...answer.calls.map((call) => ({ type: 'tool-call' as const, ...call })),
    { type: 'finish', finishReason: 'tool-calls', usage },
  ];
}

async function read(stream: {
  readonly runId: string;
  readonly fullStream: AsyncIterable<Chunk>;
}): Promise<AgentRun> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream.fullStream) {
    if (chunk.type === 'error') throw (chunk.payload as { readonly error: unknown }).error;
    chunks.push(chunk);
  }
  return { runId: stream.runId, chunks };
}

for (const where of ['in the agent', 'in toolsets'] as const) {
  const inAgent = where === 'in the agent';
  describeAdapter(
    mastraDriver({
      version: `@mastra/core ${version}, tools ${where}`,
      createTool: (fields) => createTool(fields),
      openAgent(adapter, answer) {
        const model = new MastraLanguageModelV2Mock({
          doStream: async (request) => ({
            stream: simulateReadableStream({ chunks: partsOf(answer(request)) }),
          }),
        });
        const agent = new Agent({
          id: 'clerk',
          name: 'Clerk',
          instructions: 'Help.',
          // With `exactOptionalPropertyTypes`, the mock of Mastra does not match the type of Mastra.
          model: model as MastraModelConfig,
          tools: () => (inAgent ? adapter.tools() : {}),
        });
        // Keeps suspended runs.
        void new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
        const toolsets = () => (inAgent ? {} : { toolsets: adapter.toolsets() });
        return {
          run: async (options) => read(await agent.stream('Do it.', { ...options, ...toolsets() })),
          answer: async (question, agreed) =>
            read(
              await (agreed
                ? agent.approveToolCall({ ...question, ...toolsets() })
                : agent.declineToolCall({ ...question, ...toolsets() })),
            ),
        };
      },
    }),
  );
}
