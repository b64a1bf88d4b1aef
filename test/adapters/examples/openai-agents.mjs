/** `node test/adapters/examples/openai-agents.mjs`: an agent of the OpenAI Agents SDK, with a scripted `Model`, on three real servers. */
import { createOpenAiAgentsAdapter, openAiAgentsNameLimits } from '@mcp-fittings/adapter-openai-agents';
import { Agent, Runner, Usage } from '@openai/agents';
import { connectThreeServers, decide, TASK } from './task.mjs';

const three = await connectThreeServers(openAiAgentsNameLimits);
const adapter = createOpenAiAgentsAdapter(three.host, three.tools, {
  onEvent(event, { toolName }) {
    if (event.type === 'result') console.log(`${toolName}: ${event.rendering.text}`);
    if (event.type === 'error') console.log(`${toolName}: failed (delivery ${event.error.delivery})`);
  },
});
const agent = new Agent({ name: 'Clerk', model: scriptedModel(), mcpServers: adapter.mcpServers() });
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, TASK);
console.log(finalOutput);
adapter[Symbol.dispose]();
await three.close();

/** The SDK has no mock model; this is one of its `Model` interface. */
function scriptedModel() {
  let id = 0;
  return {
    async getResponse({ input, tools }) {
      const results = input
        .filter(({ type }) => type === 'function_call_result')
        .map(({ name, output }) => ({ name, text: textOf(output) }));
      const { calls, text } = decide(
        tools.map(({ name }) => name),
        results,
      );
      const output =
        calls.length > 0
          ? calls.map(({ name, args }) => ({
              type: 'function_call',
              callId: `call-${id++}`,
              name,
              status: 'completed',
              arguments: JSON.stringify(args),
            }))
          : [
              {
                type: 'message',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text }],
              },
            ];
      return { usage: new Usage(), output };
    },
    getStreamedResponse() {
      throw new Error('This model does not stream.');
    },
  };
}

/** Reads the text of a result, as the SDK sends it to a model. */
function textOf(output) {
  return [output]
    .flat()
    .map((part) => (typeof part === 'string' ? part : (part.text ?? '')))
    .join('\n');
}
