/** `node test/adapters/examples/mastra.mjs`: an agent of Mastra, with its mock model, on three real servers. */
import { Agent } from '@mastra/core/agent';
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';
import { createTool } from '@mastra/core/tools';
import { createMastraAdapter } from '@mcp-fittings/adapter-mastra';
import { connectThreeServers, decide, TASK } from './task.mjs';

const three = await connectThreeServers();
const adapter = createMastraAdapter(three.tools, { createTool: (fields) => createTool(fields) });
const agent = new Agent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Do what the user asks for.',
  model: mockModel(),
  tools: () => adapter.tools(),
});

const { text, steps } = await agent.generate(TASK, { maxSteps: 10 });
for (const { payload } of steps.flatMap(({ toolResults }) => toolResults)) {
  const { status, text: said, error } = payload.result;
  const delivery = error === undefined ? '' : ` (delivery ${error.delivery})`;
  console.log(`${payload.toolName}: ${status}${delivery}: ${said}`);
}
console.log(text);
await three.close();

function mockModel() {
  let id = 0;
  return new MastraLanguageModelV2Mock({
    async doGenerate({ prompt, tools }) {
      const results = prompt
        .filter(({ role }) => role === 'tool')
        .flatMap(({ content }) => content)
        .map(({ toolName: name, output }) => ({ name, text: textOf(output) }));
      const { calls, text: said } = decide(
        tools.map(({ name }) => name),
        results,
      );
      return {
        content: [
          { type: 'text', text: said },
          ...calls.map(({ name, args }) => ({
            type: 'tool-call',
            toolCallId: `call-${id++}`,
            toolName: name,
            input: JSON.stringify(args),
          })),
        ],
        finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        warnings: [],
      };
    },
  });
}

/** Reads the text of a result, as Mastra sends it to a model. */
function textOf({ type, value }) {
  return type === 'content' ? value.map((part) => part.text ?? '').join('\n') : String(value);
}
