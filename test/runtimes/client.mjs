/**
 * Runs in the runtime that is tried: the SDK's `Client` over one of our transports. Says on stdout what works, a line a
 * fact, asks for the death of its server with `kill`, and must end by itself.
 */
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { demoServer } from './demo-server.mjs';

const [kind, json] = process.argv.slice(2);
const target = JSON.parse(json);
const AT_ONCE = 50;
const LARGE = 'x'.repeat(1024 * 1024);
const MAKE = {
  stdio: async () => (await import('@mcp-fittings/transport-stdio')).createStdioTransport(target),
  http: async () => (await import('@mcp-fittings/transport-http')).createHttpTransport(target),
  sse: async () => (await import('@mcp-fittings/transport-sse')).createSseTransport(target),
  ws: async () => (await import('@mcp-fittings/transport-ws')).createWebSocketTransport(target),
  inprocess: async () =>
    (await import('@mcp-fittings/transport-inprocess')).createInProcessTransport({
      createServer: demoServer,
    }),
};

const transport = await MAKE[kind]();
const client = new Client({ name: 'runtimes', version: '1.0.0' });
await fact('connects', () => client.connect(transport));
await fact('lists tools', async () => {
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'echo'));
});
await fact('calls', () => echo('hello'));
await fact('many calls at once', () => Promise.all(Array.from({ length: AT_ONCE }, (_, n) => echo(`n${n}`))));
await fact('a large message', () => echo(LARGE));
await fact('a call that is given up', async () => {
  const controller = new AbortController();
  const call = client.callTool(target.slow ?? { name: 'slow', arguments: {} }, undefined, {
    signal: controller.signal,
  });
  setTimeout(() => controller.abort(), 100);
  await assert.rejects(call);
  await echo('still there');
});
if (kind !== 'inprocess') {
  await fact('the death of the server', async () => {
    const call = client.callTool(target.slow, undefined, { timeout: 20_000 });
    const failure = assert.rejects(call, (error) => {
      // As the SDK hands it on, the transport's own error is gone; that it came before the time-out is what counts.
      assert.doesNotMatch(String(error), /timed out/i);
      return true;
    });
    setTimeout(() => (kind === 'stdio' ? process.kill(transport.pid, 'SIGKILL') : say('kill')), 300);
    await failure;
  });
}
await fact('closes', () => client.close());

async function echo(message) {
  const { content } = await client.callTool({ name: 'echo', arguments: { message } });
  assert.equal(content[0].text, `Echo: ${message}`);
}

async function fact(name, check) {
  try {
    await check();
    say(`works ${name}`);
  } catch (error) {
    say(
      `fails ${name}: ${String(error?.stack ?? error)
        .slice(0, 600)
        .replaceAll('\n', ' ')}`,
    );
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
