/** An MCP server on stdio that knows both eras; `--noisy` writes lines that are not messages to stdout. */
import { writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const say = (text) => ({ content: [{ type: 'text', text }] });
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const [, , ...flags] = process.argv;
if (flags.includes('--noisy')) console.log('starting up, please wait');
if (process.env.PID_FILE !== undefined) writeFileSync(`${process.env.PID_FILE}.${process.pid}`, '');

serveStdio(({ era }) => {
  const server = new McpServer(
    { name: `dual ${era}`, version: '1' },
    {
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        resources: { subscribe: true, listChanged: true },
      },
    },
  );
  const numbers = z.object({ a: z.number(), b: z.number() });
  server.registerTool('add', { inputSchema: numbers }, ({ a, b }) => say(String(a + b)));
  server.registerTool('pid', {}, () => say(String(process.pid)));
  server.registerTool('die', {}, () => {
    process.stderr.write('the disk is full\n');
    process.exit(3);
  });
  server.registerTool('grow', {}, async () => {
    server.registerTool('grown', {}, () => say('grown'));
    return say('grew');
  });
  server.registerTool(
    'slow',
    { inputSchema: z.object({ steps: z.number() }) },
    async ({ steps }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= steps; progress++) {
        if (progressToken !== undefined) {
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: steps },
          });
        }
        await wait(5);
        if (mcpReq.signal.aborted) process.stderr.write('cancelled\n');
        if (mcpReq.signal.aborted) return say('cancelled');
      }
      return say('done');
    },
  );
  server.registerTool('ask', {}, async () => {
    const answer = await server.server.elicitInput({
      mode: 'form',
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return say(JSON.stringify(answer.content));
  });
  server.registerTool('ask-later', {}, () => {
    const requestedSchema = { type: 'object', properties: {} };
    setTimeout(() => {
      server.server
        .elicitInput({ mode: 'form', message: 'Still there?', requestedSchema })
        .catch((error) => process.stderr.write(`not asked: ${error.message}\n`));
    }, 20);
    return say('soon');
  });
  server.registerResource('memo', 'memo:///a', {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'a memo' }],
  }));
  if (era === 'legacy') {
    server.server.setRequestHandler('resources/subscribe', ({ params }) => {
      process.stderr.write(`subscribed ${params.uri}\n`);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));
    server.server.setRequestHandler('logging/setLevel', ({ params }) => {
      process.stderr.write(`level ${params.level}\n`);
      return {};
    });
  }
  return server;
});
