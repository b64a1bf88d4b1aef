/**
 * A server of the official SDKs on stdio that begins to serve when it is told to: `node late-server.mjs <era> <folder>`. When a request has
 * arrived it creates the file `waiting` in the folder, and it serves when there is a file `go`. `era` is `modern` (2026-07-28 only), `both`, or `legacy`. Its tool
 * asks the user for a name, and its answer has the name, and the revision that the client speaks.
 */
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [, , era, folder] = process.argv;
const info = { name: era, version: '1.0.0' };
const capabilities = { tools: {} };
const listed = { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] };
const question = {
  mode: 'form',
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { who: { type: 'string' } } },
};
const greeting = (answer, spoken) => ({
  content: [{ type: 'text', text: `hello ${answer.content.who}, ${spoken}` }],
});

function serveOfficial(spoken) {
  const server = new Server(info, { capabilities });
  server.setRequestHandler('tools/list', () => listed);
  server.setRequestHandler('tools/call', async (_request, { mcpReq }) => {
    if (spoken === 'legacy') return greeting(await server.elicitInput(question), spoken);
    const answer = mcpReq.inputResponses?.who;
    if (answer !== undefined) return greeting(answer, spoken);
    const who = { method: 'elicitation/create', params: question };
    return { resultType: 'input_required', inputRequests: { who } };
  });
  return server;
}

async function serveV1() {
  const server = new ServerV1(info, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => listed);
  server.setRequestHandler(CallToolRequestSchema, async () =>
    greeting(await server.elicitInput(question), 'legacy'),
  );
  await server.connect(new StdioServerTransport());
}

// The request stays unread.
await once(process.stdin, 'readable');
writeFileSync(join(folder, 'waiting'), '');
while (!existsSync(join(folder, 'go'))) await setTimeout(5);
if (era === 'legacy') await serveV1();
else serveStdio(({ era: spoken }) => serveOfficial(spoken), { legacy: era === 'both' ? 'serve' : 'reject' });
process.stdin.resume();
