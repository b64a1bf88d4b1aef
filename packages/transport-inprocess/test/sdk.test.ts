import { serveStdio, type StdioServerHandle } from '@modelcontextprotocol/server/stdio';
import { Worker } from 'node:worker_threads';
import type { Transport } from '@mcp-fittings/client-core';
import {
  createChannelClient,
  createInProcessTransport,
  createLinkedPair,
  inprocess,
} from '@mcp-fittings/transport-inprocess';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portChannel } from './support/port-channel.mjs';
import { clients, makeClientV1, makeClientV2 } from './support/sdk-clients.js';
import { makeServerV1, makeServerV2 } from './support/sdk-servers.mjs';

let worker: Worker;
beforeAll(() => {
  worker = new Worker(new URL('./support/sdk-worker.mjs', import.meta.url), { execArgv: [] });
});
afterAll(async () => {
  await worker.terminate();
});

const ways: readonly { name: string; transport: (version: 1 | 2) => Promise<Transport> }[] = [
  {
    name: 'T9 a linked pair',
    async transport(version) {
      const [client, server] = createLinkedPair();
      await (version === 1 ? makeServerV1() : makeServerV2()).connect(server);
      return client;
    },
  },
  {
    name: 'T9 cloned messages',
    transport: async (version) =>
      createInProcessTransport({
        createServer: () => (version === 1 ? makeServerV1() : makeServerV2()),
        clone: true,
      }),
  },
  {
    name: 'T9 the plugin',
    async transport(version) {
      const plugin = inprocess({ servers: { 1: () => makeServerV1(), 2: () => makeServerV2() } });
      return plugin.create({ name: String(version) }, { server: 'entry' });
    },
  },
  {
    name: 'T10 a control channel to another thread',
    transport: async (version) =>
      createChannelClient(portChannel(worker)).transport(version === 1 ? 'vscode' : 'jetbrains'),
  },
];

for (const way of ways) {
  describe(way.name, () => {
    for (const version of [1, 2] as const) {
      for (const { name, make } of clients) {
        it(`McpServer v${String(version)} serves a client of ${name}`, async () => {
          const client = make();
          await client.connect(await way.transport(version));
          try {
            expect(await client.tools()).toEqual(['add', 'fail', 'count', 'roots', 'wait']);
            expect(await client.call('add', { a: 1, b: 2 })).toMatchObject({ content: [{ text: '3' }] });
            expect(await client.call('fail')).toMatchObject({ isError: true });
            expect(await client.call('roots')).toMatchObject({
              content: [{ text: 'file:///one,file:///two' }],
            });
          } finally {
            await client.close();
          }
        });
      }
    }
  });
}

describe('both SDKs in detail', () => {
  it('a thread that dies ends its connections, and open calls fail at once', async () => {
    const doomed = new Worker(new URL('./support/sdk-worker.mjs', import.meta.url), { execArgv: [] });
    const channel = createChannelClient(portChannel(doomed));
    const connections = await Promise.all(
      ['vscode', 'jetbrains'].map(async (name) => {
        const [client, transport] = [makeClientV1(), channel.transport(name)];
        await client.connect(transport);
        return { client, transport };
      }),
    );
    const failures = connections.map(({ client }) =>
      expect(client.call('wait')).rejects.toMatchObject({ code: 'CONNECTION_LOST' }),
    );
    await doomed.terminate();
    await Promise.all(failures);
    for (const { transport } of connections) {
      expect(transport.closeReason).toMatchObject({ code: 'CONNECTION_LOST' });
    }
  });

  it('SDK v2 negotiates 2026-07-28 in process with a server that serves both eras', async () => {
    const transport = createInProcessTransport({
      createServer() {
        let handle: StdioServerHandle | undefined;
        return {
          async connect(serverSide) {
            handle = serveStdio(() => makeServerV2(), { transport: serverSide });
          },
          close: async () => handle?.close(),
        };
      },
    });
    const client = makeClientV2('auto');
    await client.connect(transport);
    expect(client.era()).toBe('modern');
    expect(await client.call('add', { a: 1, b: 2 })).toMatchObject({ content: [{ text: '3' }] });
    await client.close();
  });
});
