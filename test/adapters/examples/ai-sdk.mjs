/** `node test/adapters/examples/ai-sdk.mjs`: an agent of the AI SDK 7, with its mock model, on three real servers. */
import { createAiSdkAdapter } from '@mcp-fittings/adapter-ai-sdk';
import { stepCountIs, streamText } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { connectThreeServers, decide, TASK } from './task.mjs';

const three = await connectThreeServers();
const adapter = createAiSdkAdapter(three.tools);

const { fullStream, text } = streamText({
  model: mockModel(),
  prompt: TASK,
  tools: adapter.toolSet(),
  stopWhen: stepCountIs(10),
  onError: ({ error }) => {
    throw error;
  },
});
for await (const part of fullStream) {
  if (part.type !== 'tool-result' || part.preliminary) continue;
  const { status, text: said, error } = part.output;
  console.log(
    `${part.toolName}: ${status}${error === undefined ? '' : ` (delivery ${error.delivery})`}: ${said}`,
  );
}
console.log(await text);
await three.close();

function mockModel() {
  let id = 0;
  return new MockLanguageModelV4({
    async doStream({ prompt, tools }) {
      const results = prompt
        .filter(({ role }) => role === 'tool')
        .flatMap(({ content }) => content)
        .map(({ toolName: name, output }) => ({ name, text: textOf(output) }));
      const { calls, text: said } = decide(
        tools.map(({ name }) => name),
        results,
      );
      return {
        stream: convertArrayToReadableStream([
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: said },
          { type: 'text-end', id: 't' },
          ...calls.map(({ name, args }) => ({
            type: 'tool-call',
            toolCallId: `call-${id++}`,
            toolName: name,
            input: JSON.stringify(args),
          })),
          {
            type: 'finish',
            finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
            usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
          },
        ]),
      };
    },
  });
}

/** Reads the text of a `ToolResultOutput`. */
function textOf({ type, value }) {
  return type === 'content' ? value.map((part) => part.text ?? '').join('\n') : String(value);
}
