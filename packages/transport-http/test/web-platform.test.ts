import type { Transport } from '@mcp-fittings/client-core';
import { expect, it } from 'vitest';
import { runAsInBrowser } from '../../../scripts/run-as-in-browser.js';
import { REVISION, scriptedServer } from './support/scripted-server.js';

it('talks to a server with nothing but the language and the web, and without eval', async () => {
  const { createHttpTransport } = await runAsInBrowser('@mcp-fittings/transport-http/fetch');
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
