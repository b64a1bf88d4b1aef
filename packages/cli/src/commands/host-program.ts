import type { ModelApi } from '../options.js';

/** Parts of a host program for one model API. */
interface ModelParts {
  /** The package of the official SDK. */
  readonly sdk: string;
  /** The class of the client, and the import of its package. */
  readonly client: string;
  /** The functions of `@mcp-fittings/tools` for this API. */
  readonly tools: string;
  /** The environment variable that the SDK reads the key from. */
  readonly variable: string;
  /** Name and type of the conversation. */
  readonly conversation: readonly [string, string];
  /** Asks the model once and runs the tools that it calls. Ends the loop if it calls none. */
  readonly turn: string;
}

export const MODELS: Readonly<Record<ModelApi, ModelParts>> = {
  anthropic: {
    sdk: '@anthropic-ai/sdk',
    client: 'Anthropic',
    tools: 'anthropicToolResult, anthropicTools',
    variable: 'ANTHROPIC_API_KEY',
    conversation: ['messages', 'Anthropic.MessageParam[]'],
    turn: `
    const request = { model: 'claude-sonnet-5-5', max_tokens: 4096, messages };
    const { content } = await model.messages.create({ ...request, tools: anthropicTools(turn.tools) });
    messages.push({ role: 'assistant', content });
    for (const block of content) if (block.type === 'text') console.log(block.text);
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) break;
    const results = [];
    for (const { id, name, input } of calls)
      results.push(anthropicToolResult(id, (await turn.run(name, input)).rendering));
    messages.push({ role: 'user', content: results });`,
  },
  openai: {
    sdk: 'openai',
    client: 'OpenAI',
    tools: 'openAiFunctionOutput, openAiResponsesTools',
    variable: 'OPENAI_API_KEY',
    conversation: ['input', 'OpenAI.Responses.ResponseInput'],
    turn: `
    const response = await model.responses.create({ model: 'gpt-5.1', input, tools: openAiResponsesTools(turn.tools) });
    if (response.output_text !== '') console.log(response.output_text);
    for (const item of response.output)
      if (item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call') input.push(item);
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) break;
    for (const { call_id, name, arguments: json } of calls) {
      const { rendering } = await turn.run(name, JSON.parse(json));
      input.push(openAiFunctionOutput(call_id, rendering));
    }`,
  },
};

/** Returns a host program of one file: it connects servers, and lets a model answer a question with their tools. */
export function hostProgram(api: ModelApi, typescript: boolean): string {
  const { sdk, client, tools, variable, conversation, turn } = MODELS[api];
  const typed = (name: string, type: string): string => (typescript ? `${name}: ${type}` : name);
  return `import { createInterface } from 'node:readline/promises';
import { openHost } from '@mcp-fittings/preset';
import { ${tools} } from '@mcp-fittings/tools';
import ${client} from '${sdk}';

const demo = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'], allowedTools: ['get-*'] };
const approve = async (${typed('{ text }', '{ text: string }')}) => ((await ask(text)) ? 'always' : 'no');
const confirm = async (${typed('{ text }', '{ text: string }')}) => ((await ask(text)) ? 'once' : 'cancel');
// With the servers of .mcp.json, and those of \`fittings add\`.
const app = await openHost({ name: 'my-agent', version: '1.0.0', servers: { demo }, approve, confirm });
for (const { text } of app.problems) console.error(text);
const tools = await app.tools();
if (process.env.${variable} === undefined) {
  for (const { name } of tools.snapshot().tools) console.log(name);
  console.log('Set ${variable} to let a model use these tools.');
} else {
  const model = new ${client}();
  const question = process.argv.slice(2).join(' ') || 'What is 40 + 2?';
  const ${typed(...conversation)} = [{ role: 'user', content: question }];
  while (true) {
    const turn = tools.snapshot();${turn}
  }
}
await app.close();

async function ask(${typed('text', 'string')}) {
  console.log(\`\${text} [y/N]\`);
  if (!process.stdin.readable) return false;
  for await (const line of createInterface({ input: process.stdin })) return line === 'y';
}
`;
}
