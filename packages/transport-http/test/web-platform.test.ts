import { createContext, runInContext } from 'node:vm';
import type { Transport } from '@mcp-fittings/client-core';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { REVISION, scriptedServer } from './support/scripted-server.js';

/** What browsers and Workers have besides the language. */
// prettier-ignore
const WEB = [
  'AbortController', 'AbortSignal', 'atob', 'btoa', 'clearTimeout', 'crypto', 'fetch', 'Headers', 'performance', 'queueMicrotask',
  'ReadableStream', 'Request', 'Response', 'setTimeout', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams',
] as const;

/** Bundles the entry point for a browser. Rejects if it imports what a browser does not have. */
async function bundleForBrowser(): Promise<string> {
  const built = await rolldown({
    input: 'bundled',
    platform: 'browser',
    resolve: { conditionNames: ['@mcp-fittings/source', 'import'] },
    onLog(_level, { code, message }) {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
    },
    plugins: [
      {
        name: 'bundled',
        resolveId: (id) => (id === 'bundled' ? id : undefined),
        load: (id) => (id === 'bundled' ? "export * from '@mcp-fittings/transport-http/fetch';" : undefined),
      },
    ],
  });
  const { output } = await built.generate({ format: 'iife', name: 'bundled' });
  await built.close();
  expect(output.map(({ type, fileName }) => [type, fileName])).toHaveLength(1);
  const [{ code, imports, dynamicImports }] = output;
  expect([...imports, ...dynamicImports]).toEqual([]);
  return code;
}

it('talks to a server with nothing but the language and the web, and without eval', async () => {
  const web = Object.fromEntries(WEB.map((name) => [name, globalThis[name]]));
  const context = createContext({ ...web }, { codeGeneration: { strings: false, wasm: false } });
  const { createHttpTransport } = runInContext(`${await bundleForBrowser()}; bundled`, context);
  await using server = await scriptedServer({
    session: 'one',
    on: {
      'tools/call': (exchange) => exchange.sse().event({ data: progress }).result({ content: [] }).end(),
      'tools/list': (exchange) =>
        exchange.rpcError(-32000, `no list for ${String(exchange.headers['x-key'])}`, 500),
    },
  });
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };
  const received: unknown[] = [];
  const transport: Transport = createHttpTransport({
    url: server.url,
    headers: { 'x-key': 'Zürich-is-secret' },
  });
  transport.onmessage = (message) => void received.push(message);
  await transport.start();
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'web', version: '1' } };
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'any' } });
  expect(received).toMatchObject([{ id: 1 }, progress, { id: 2, result: { content: [] } }]);
  const refused = await transport
    .send({ jsonrpc: '2.0', id: 3, method: 'tools/list' })
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'SERVER_ERROR', details: { status: 500 } });
  expect(String(refused)).toContain('The server answered POST with 500: no list for [redacted]');
  await transport.close();
  expect(server.of('DELETE')[0]?.headers['mcp-session-id']).toBe('one');
});
