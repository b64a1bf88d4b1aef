import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openWorkspace } from './support/workspace.js';

/** A transport of its own, as a third party publishes it. */
const TOY_TRANSPORT = `
const schema = { '~standard': { version: 1, vendor: 'toy', validate: (value) => ({ value }) } };
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'toy', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'wave', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'hello from toy' }] }),
};
function create() {
  return {
    async start() {},
    async send({ id, method, params }) {
      if (id === undefined) return;
      const result = results[method]?.(params);
      queueMicrotask(() => this.onmessage?.(result === undefined
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } }
        : { jsonrpc: '2.0', id, result }));
    },
    async close() { this.onclose?.(); },
    async [Symbol.asyncDispose]() { await this.close(); },
  };
}
export default { specVersion: 1, type: 'toy', schema, create };
`;

const TOY_SIGN_IN = `
export default () => [{
  specVersion: 1,
  scheme: 'badge',
  create: ({ config }) => config.url === undefined ? undefined : {
    async headers() { return { 'x-badge': 'from the plugin' }; },
    async onChallenge() { throw new Error('refused'); },
  },
}];
`;

it('--plugin brings a third-party transport, from a file', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.write('toy.mjs', TOY_TRANSPORT);
  const entry = JSON.stringify({ mcpServers: { toy: { type: 'toy' } } });
  const only = ['--strict-mcp-config', '--mcp-config', entry];
  const without = await workspace.fittings([...only, 'call', 'toy/wave']);
  expect(without.code).toBe(3);
  const called = await workspace.fittings([...only, '--plugin', './toy.mjs', 'call', 'toy/wave']);
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('hello from toy') });
});

it('--plugin brings a third-party sign-in scheme, which is asked before OAuth', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.write('badge.mjs', TOY_SIGN_IN);
  const badges: unknown[] = [];
  const server = createServer((request, response) => {
    badges.push(request.headers['x-badge']);
    response.writeHead(500).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
  const entry = JSON.stringify({ mcpServers: { web: { type: 'http', url } } });
  const only = ['--strict-mcp-config', '--mcp-config', entry];
  await workspace.fittings([...only, '--plugin', './badge.mjs', '--store', 'memory', 'status']);
  server.close();
  expect(new Set(badges)).toEqual(new Set(['from the plugin']));
});

it('a package name is never resolved from the current directory', async () => {
  await using workspace = await openWorkspace({ here: true });
  const folder = join(workspace.project, 'node_modules/toy-plugin');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'package.json'),
    '{"name":"toy-plugin","type":"module","exports":"./index.js"}',
  );
  await writeFile(join(folder, 'index.js'), TOY_TRANSPORT);
  const run = await workspace.fittings(['--plugin', 'toy-plugin', 'status']);
  expect(run).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/"toy-plugin" cannot be imported.*npm install -g toy-plugin/s),
  });
});

it.each([
  ['exports nothing', 'export const a = 1;'],
  ['exports something else', 'export default { type: "toy" };'],
  ['throws', 'throw new Error("broken");'],
])('a plugin that %s is refused', async (_what, code) => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.write('bad.mjs', code);
  const run = await workspace.fittings(['--plugin', './bad.mjs', 'status']);
  expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('bad.mjs') });
});
