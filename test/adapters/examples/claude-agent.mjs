/**
 * `node test/adapters/examples/claude-agent.mjs`: an agent of the Claude Agent SDK, with Claude Code and a scripted model behind a Messages
 * API on loopback, on three real servers.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { createClaudeAgentAdapter } from '@mcp-fittings/adapter-claude-agent';
import { startMessagesApi } from '../servers/messages-api.mjs';
import { connectThreeServers, decide, TASK } from './task.mjs';

const three = await connectThreeServers();
const api = await startMessagesApi(scriptedModel());
const folder = await mkdtemp(join(tmpdir(), 'fittings-claude-'));
const adapter = createClaudeAgentAdapter(three.host, three.tools, {
  alwaysLoad: true,
  onEvent(event, { toolName }) {
    if (event.type === 'result') console.log(`${toolName}: ${event.rendering.text}`);
    if (event.type === 'error') console.log(`${toolName}: failed (delivery ${event.error.delivery})`);
  },
});
const options = {
  mcpServers: adapter.mcpServers(),
  canUseTool: adapter.canUseTool,
  tools: [],
  settingSources: [],
  persistSession: false,
  cwd: folder,
  env: api.env(folder),
};
for await (const message of query({ prompt: TASK, options }))
  if (message.type === 'result') console.log(message.result);
adapter[Symbol.dispose]();
await three.close();
await api[Symbol.asyncDispose]();
await rm(folder, { recursive: true, force: true });

/** The model of the API: decides by the results so far. */
function scriptedModel() {
  let id = 0;
  return ({ messages, tools }) => {
    const blocks = messages.flatMap(({ content }) => content).filter((block) => typeof block === 'object');
    const names = new Map(
      blocks.filter(({ type }) => type === 'tool_use').map((block) => [block.id, block.name]),
    );
    const results = blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({ name: names.get(block.tool_use_id), text: textOf(block.content) }));
    const { calls, text } = decide(
      tools.map(({ name }) => name),
      results,
    );
    return calls.length > 0
      ? calls.map(({ name, args }) => ({ type: 'tool_use', id: `toolu_${id++}`, name, input: args }))
      : [{ type: 'text', text }];
  };
}

/** Reads the text of a `tool_result` block. */
function textOf(content) {
  return typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('\n');
}
