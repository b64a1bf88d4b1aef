import { generateText, stepCountIs, streamText } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import manifest from 'ai/package.json' with { type: 'json' };
import { describeAdapter } from '../suite/adapter-suite.js';
import { aiSdkDriver, type AiSdk } from './ai-sdk-driver.js';

/** A part of the stream of a model. */
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

const ai: AiSdk = {
  version: manifest.version,
  major: 7,
  generateText,
  streamText,
  stepCountIs,
  mockModel: (answer) =>
    new MockLanguageModelV4({
      doGenerate: async (request) => ({ content: [...answer(request)], ...end, warnings: [] }),
      doStream: async (request) => ({
        stream: convertArrayToReadableStream<StreamPart>([
          ...answer(request).flatMap((part): StreamPart[] =>
            part.type === 'text'
              ? [
                  { type: 'text-start' as const, id: 't' },
                  { type: 'text-delta' as const, id: 't', delta: part.text },
                  { type: 'text-end' as const, id: 't' },
                ]
              : [part],
          ),
          { type: 'finish' as const, ...end },
        ]),
      }),
    }),
};

const end = {
  finishReason: { unified: 'tool-calls' as const, raw: undefined },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
};

describeAdapter(aiSdkDriver(ai, 'generateText'));
describeAdapter(aiSdkDriver(ai, 'streamText'));
