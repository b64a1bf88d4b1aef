import { MockLanguageModelV3 } from 'ai/test';

/** A model of the AI SDK that calls these tools one after another, then answers "done". */
export function scriptedModel(...calls: readonly (readonly [name: string, args: unknown])[]) {
  let step = 0;
  return new MockLanguageModelV3({
    doGenerate: () => {
      const [toolName, args] = calls[step++] ?? [];
      return Promise.resolve({
        content: [
          toolName === undefined
            ? { type: 'text', text: 'done' }
            : { type: 'tool-call', toolCallId: `${step}`, toolName, input: JSON.stringify(args) },
        ],
        finishReason: { unified: toolName === undefined ? 'stop' : 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      });
    },
  });
}
