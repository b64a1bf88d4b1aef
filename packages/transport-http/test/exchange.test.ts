import { expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect } from './support/caller.js';
import { REVISION, scriptedServer, type Exchange } from './support/scripted-server.js';

it('answers a request from a JSON reply, with the headers of the specification', async () => {
  await using server = await scriptedServer({
    session: 'abc',
    on: { 'tools/list': (exchange) => exchange.result({ tools: [] }) },
  });
  await using caller = await connect(createHttpTransport({ url: server.url }));
  expect(await caller.request('tools/list')).toEqual({ tools: [] });
  const [first] = server.of('initialize');
  expect(first?.headers).toMatchObject({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  });
  expect(first?.headers['mcp-session-id']).toBeUndefined();
  expect(first?.headers['mcp-protocol-version']).toBeUndefined();
  expect(server.of('tools/list')[0]?.headers).toMatchObject({
    'mcp-session-id': 'abc',
    'mcp-protocol-version': REVISION,
  });
  expect(caller.errors).toEqual([]);
});

it.each<[string, (exchange: Exchange) => void]>([
  [
    'as JSON',
    (exchange) => exchange.json({ jsonrpc: '2.0', id: String(exchange.message.id), result: { content: [] } }),
  ],
  [
    'as an event',
    (exchange) =>
      exchange
        .sse()
        .event({ data: { jsonrpc: '2.0', id: String(exchange.message.id), result: { content: [] } } })
        .end(),
  ],
])('takes the number of a request that the server returns as text, %s', async (_how, answer) => {
  await using server = await scriptedServer({ on: { 'tools/call': answer } });
  await using caller = await connect(createHttpTransport({ url: server.url }));
  expect(await caller.request('tools/call', { name: 'x' })).toEqual({ content: [] });
  expect(caller.errors).toEqual([]);
});

it('takes an error of a refusal that returns the number of the request as text', async () => {
  await using server = await scriptedServer({
    on: {
      'tools/call': (exchange) =>
        exchange.rpcError(-32_602, 'No such tool.', 400, String(exchange.message.id)),
    },
  });
  await using caller = await connect(createHttpTransport({ url: server.url }));
  await expect(caller.request('tools/call', { name: 'x' })).rejects.toThrow(/No such tool/);
});
