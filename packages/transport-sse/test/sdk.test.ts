import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { everythingServer } from '../../../scripts/everything-server.js';
import { createSseTransport } from '../src/index.js';
import { ALL_CLIENTS, clientV2 } from '../../transport-http/test/support/clients.js';
import { request } from './support/session.js';
import { startSseServer, type SseBehavior } from './support/sse-server.js';

it.each(ALL_CLIENTS)('$name lists tools, calls many at once and hears progress', async (kind) => {
  await using server = await everythingServer('sse');
  await using client = await kind.connect(createSseTransport({ url: server.url }));
  expect(client.serverName).toContain('everything');
  expect(await client.tools()).toContain('echo');
  expect(await client.call('echo', { message: 'hellö' })).toBe('Echo: hellö');
  let progress = 0;
  const onprogress = (): void => void progress++;
  await client.call('trigger-long-running-operation', { duration: 0.2, steps: 4 }, { onprogress });
  expect(progress).toBe(4);
  const sums = await Promise.all(Array.from({ length: 50 }, (_, a) => client.call('get-sum', { a, b: 1 })));
  expect(sums).toEqual(Array.from({ length: 50 }, (_, a) => `The sum of ${a} and 1 is ${a + 1}.`));
});

describe('the probe of SDK v2 on a server that refuses it', () => {
  /** Knows `initialize` and nothing before it. */
  const strict = (refuse: (id: number) => { status: number; body: string }): SseBehavior => ({
    onPost(seen, response, stream) {
      const { id, method } = JSON.parse(seen.body) as { id: number; method: string };
      if (method === 'server/discover') {
        const { status, body } = refuse(id);
        response.writeHead(status).end(body);
        return;
      }
      response.writeHead(202).end();
      if (method !== 'initialize') return;
      const serverInfo = { name: 'strict', version: '1' };
      const result = { protocolVersion: '2024-11-05', capabilities: {}, serverInfo };
      stream?.message({ jsonrpc: '2.0', id, result });
    },
  });
  const NOT_READY = { jsonrpc: '2.0', error: { code: -32000, message: 'Not initialized' } };

  it.each([
    ['400 and text', () => ({ status: 400, body: 'Error: Not initialized' })],
    ['422 and JSON of another kind', () => ({ status: 422, body: '{"error":"nope"}' })],
    [
      '400 and a JSON-RPC error',
      (id: number) => ({ status: 400, body: JSON.stringify({ ...NOT_READY, id }) }),
    ],
  ])('by %s leads to initialize', async (_, refuse) => {
    await using server = await startSseServer(strict(refuse));
    await using client = await clientV2('auto').connect(createSseTransport({ url: server.url }));
    expect(client.serverName).toBe('strict');
  });

  it.each([
    [401, 'AUTH_REQUIRED'],
    [403, 'CLIENT_HTTP_FORBIDDEN'],
    [500, 'ERA_NEGOTIATION_FAILED'],
  ])('by %i says nothing about the era, so connecting fails', async (status, code) => {
    await using server = await startSseServer(strict(() => ({ status, body: '' })));
    await using transport = createSseTransport({ url: server.url });
    await expect(clientV2('auto').connect(transport)).rejects.toMatchObject({ code });
    expect(server.seen.filter(({ body }) => body.includes('initialize'))).toEqual([]);
  });

  it('no other request is answered in that way', async () => {
    await using server = await startSseServer({
      onPost: (_, response) => void response.writeHead(404).end(),
    });
    await using transport = createSseTransport({ url: server.url });
    await transport.start();
    expect(await failureOf(transport.send(request(1, 'tools/list')))).toMatchObject({
      code: 'HTTP_STATUS',
      delivery: 'rejected',
    });
  });
});
