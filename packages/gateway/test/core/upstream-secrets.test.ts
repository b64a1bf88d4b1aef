import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { inspect } from 'node:util';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { describe, expect, it } from 'vitest';
import { gatewayOf, send } from './support.js';

const SECRET = 'canary-0123456789abcdef';

/** Answers a message of a client: every call fails, and repeats the secret in every field of its error. */
const answerTo = `(message, secret) => {
  const { id, method } = message;
  const results = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
    ping: {},
    'tools/list': { tools: [{ name: 'leak', inputSchema: { type: 'object' } }] },
    ping: {},
  };
  const data = { [secret]: [secret.toUpperCase()], stack: 'at ' + secret };
  const error = { code: -32050, message: 'no ' + secret, data };
  return { jsonrpc: '2.0', id, ...(method in results ? { result: results[method] } : { error }) };
}`;
const PROGRAM = `
  const answerTo = ${answerTo};
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.id !== undefined) console.log(JSON.stringify(answerTo(message, process.env.PLAIN ?? process.argv.at(-1).replace('--pwd=', ''))));
  });`;

async function startHttpServer(): Promise<Server> {
  // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-type-assertion -- the function above, which the program has as text
  const answer = new Function(`return ${answerTo}`)() as (message: unknown, secret: string) => object;
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const text = Buffer.concat(chunks).toString();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message: unknown = JSON.parse(text);
    if (!text.includes('"id"')) return void response.writeHead(202).end();
    const secret = String(request.headers['x-key']);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(message, secret)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

describe('a server that repeats its credential in an error', () => {
  it.each(['stdio', 'option', 'http'])('shows it to no caller, host or log, from %s', async (wire) => {
    await using server = await startHttpServer();
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const logged: unknown[] = [];
    const log = (...line: unknown[]): void => void logged.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    const host = createHost({ name: 'test', version: '1', transports: [stdio(), http()], logger });
    await host.connect({
      leaky:
        wire === 'http'
          ? { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: { 'x-key': SECRET } }
          : {
              command: process.execPath,
              args: ['-e', PROGRAM, ...(wire === 'stdio' ? [] : ['--', `--pwd=${SECRET}`])],
              ...(wire === 'stdio' && { env: { PLAIN: SECRET } }),
            },
    });
    const events: unknown[] = [];
    await using gateway = gatewayOf(host, { logger, observe: (event) => events.push(event) });
    const failed = await host.callTool({ server: 'leaky', tool: 'leak' }).catch((error: unknown) => error);
    const errors: unknown[] = [failed];
    for (const kind of ['v1', 'v2', 'modern'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one client after the other
      const client = await gateway[kind]();
      // oxlint-disable-next-line no-await-in-loop -- one client after the other
      const error = await send(client, 'tools/call', { name: 'leaky__leak' }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({
        code: -32_050,
        message: expect.stringContaining('no [redacted]'),
        data: { '[redacted]': ['[redacted]'], stack: 'at [redacted]' },
      });
      errors.push(error);
    }
    const shown = inspect([errors, events, logged], { depth: 9, showHidden: true });
    expect(shown).toContain('no [redacted]');
    expect(shown).not.toMatch(/canary/i);
  });
});
