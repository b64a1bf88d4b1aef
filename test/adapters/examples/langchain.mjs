/** `node test/adapters/examples/langchain.mjs`: an agent of LangChain on LangGraph, with its fake model, on three real servers. */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { DynamicStructuredTool } from '@langchain/core/tools';
import { createLangChainAdapter } from '@mcp-fittings/adapter-langchain';
import { createAgent } from 'langchain';
import { connectThreeServers, decide, TASK } from './task.mjs';

const three = await connectThreeServers();
const adapter = createLangChainAdapter(three.tools, {
  createTool: (fields) => new DynamicStructuredTool(fields),
  createMessage: (fields) => new ToolMessage(fields),
});
const tools = adapter.structuredTools();
const offered = tools.map(({ name }) => name);

let id = 0;
const model = fakeModel();
/** Decides by the results so far. The fake model has one response per request. */
const respond = (messages) => {
  const results = messages.filter(({ type }) => type === 'tool').map(({ name, text }) => ({ name, text }));
  const { calls, text } = decide(offered, results);
  const tool_calls = calls.map((call) => ({ ...call, id: `call-${id++}` }));
  return new AIMessage({ content: text, tool_calls });
};
for (let request = 0; request < 10; request++) model.respond(respond);

const { messages } = await createAgent({ model, tools }).invoke({
  messages: [{ role: 'user', content: TASK }],
});
for (const { type, name, status, text, artifact } of messages) {
  if (type !== 'tool') continue;
  const delivery = artifact.error === undefined ? '' : ` (delivery ${artifact.error.delivery})`;
  console.log(`${name}: ${status}${delivery}: ${text}`);
}
console.log(messages.at(-1).text);
await three.close();
