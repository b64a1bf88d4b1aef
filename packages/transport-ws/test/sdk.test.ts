import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { AuthRequiredError } from '@mcp-fittings/client-core';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { serveBothEras, serveV1, serveV2, startServer, TOKEN } from './support/mcp-server.js';

const INFO = { name: 'test', version: '1.0.0' };

const servers = [
  ['a server of SDK v1', serveV1],
  ['a server of SDK v2', serveV2],
  ['a server of SDK v2 for both eras', serveBothEras],
] as const;

describe.each(servers)('%s behind ./server', (_, onConnection) => {
  it.each(['v1', 'v2'])('serves the client of SDK %s, with every progress notification', async (sdk) => {
    await using server = await startServer({ onConnection });
    const client = sdk === 'v1' ? new ClientV1(INFO) : new ClientV2(INFO);
    await client.connect(createWebSocketTransport({ url: server.url, apiKey: TOKEN }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['count']);
    const progress: number[] = [];
    const params = { name: 'count', arguments: { to: 20 } };
    const options = { onprogress: (step: { progress: number }) => progress.push(step.progress) };
    const result = await (client instanceof ClientV1
      ? client.callTool(params, undefined, options)
      : client.callTool(params, options));
    expect(result.content).toEqual([{ type: 'text', text: 'counted to 20' }]);
    expect(progress).toEqual(Array.from({ length: 20 }, (_unused, index) => index + 1));
    await client.close();
  });

  it('C.3 the client of SDK v2 finds the era by itself, on the same connection', async () => {
    let connections = 0;
    await using server = await startServer({
      onConnection: (transport) => {
        connections += 1;
        return onConnection(transport);
      },
    });
    const client = new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } });
    await client.connect(createWebSocketTransport({ url: server.url, apiKey: TOKEN }));
    expect(client.getProtocolEra()).toBe(onConnection === serveBothEras ? 'modern' : 'legacy');
    const result = await client.callTool({ name: 'count', arguments: { to: 1 } });
    expect(result.content).toEqual([{ type: 'text', text: 'counted to 1' }]);
    expect(connections).toBe(1);
    await client.close();
  });
});

it('C.3 the version negotiation of SDK v2 passes on an AuthRequiredError', async () => {
  await using server = await startServer({ onConnection: serveV2 });
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new ClientV2(INFO, { versionNegotiation: { mode } });
    const connecting = client.connect(createWebSocketTransport({ url: server.url }));
    expect(await failureOf(connecting)).toBeInstanceOf(AuthRequiredError);
  }
});

it('C.1 the transport has the types of both SDKs', () => {
  const transport = createWebSocketTransport({ url: 'ws://localhost/' });
  const v1: TransportV1 = transport;
  const v2: Parameters<ClientV2['connect']>[0] = transport;
  expect(v1).toBe(v2);
});
