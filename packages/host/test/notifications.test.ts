import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import type { HostEvents } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { RpcFailure, scripted } from './support/scripted.js';

/** A server of the official SDK over Streamable HTTP with sessions, which keeps each notification that it is sent. */
async function sessions() {
  const received: { readonly session: string | undefined; readonly notification: unknown }[] = [];
  const servers: McpServer[] = [];
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const server = createServer((request, response) => {
    void (async () => {
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? transports.get(id) : undefined;
      if (known !== undefined) return known.handleRequest(request, response);
      const mcp = new McpServer({ name: 'official', version: '1.0.0' });
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void transports.set(session, transport),
      });
      mcp.server.fallbackNotificationHandler = async ({ method, params }) =>
        void received.push({ session: transport.sessionId, notification: { method, params } });
      servers.push(mcp);
      await mcp.connect(transport);
      await transport.handleRequest(request, response);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    servers,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((mcp) => mcp.close()));
      server.close();
      server.closeAllConnections();
    },
  };
}

describe('notifications both ways with a server of the official SDK', () => {
  it('reach the server and the host, each for its own person', async () => {
    await using official = await sessions();
    await using host = testHost([http()], {
      lazy: true,
      callbacks: { elicit: async () => ({ action: 'cancel' }) },
    });
    const heard: HostEvents['notification'][] = [];
    host.on('notification', (event) => void heard.push(event));
    await host.connect({ one: { url: official.url } });
    for (const principal of ['ann', 'bob']) {
      await host.notify('one', 'notifications/com.example/hello', { from: principal }, { principal });
    }
    await vi.waitFor(() => expect(official.received).toHaveLength(2), { timeout: 20_000 });
    expect(official.received.map(({ notification }) => notification)).toEqual([
      { method: 'notifications/com.example/hello', params: { from: 'ann' } },
      { method: 'notifications/com.example/hello', params: { from: 'bob' } },
    ]);
    expect(new Set(official.received.map(({ session }) => session)).size).toBe(2);

    await vi.waitFor(
      async () => {
        for (const [index, mcp] of official.servers.entries()) {
          await mcp.server
            .notification({
              method: 'notifications/elicitation/complete',
              params: { elicitationId: `for session ${index}` },
            })
            // The server that was asked by the probe of the newer revision has no session.
            .catch(() => undefined);
        }
        expect(new Set(heard.map(({ principal }) => principal))).toEqual(new Set(['ann', 'bob']));
      },
      { timeout: 20_000 },
    );
    const idsOf = (person: string): readonly unknown[] => [
      ...new Set(
        heard.flatMap(({ principal, params }) => (principal === person ? [params['elicitationId']] : [])),
      ),
    ];
    expect(heard[0]).toMatchObject({ server: 'one', method: 'notifications/elicitation/complete' });
    expect(idsOf('ann')).toHaveLength(1);
    expect(idsOf('bob')).toHaveLength(1);
    expect(idsOf('ann')).not.toEqual(idsOf('bob'));
  });
});

describe('the update of a resource', () => {
  const SUBSCRIBABLE = { tools: {}, resources: { subscribe: true } };
  const ref = { server: 'one', uri: 'test://a' };
  const updated = { method: 'notifications/resources/updated', params: { uri: ref.uri } };

  it('is reported that follows the answer to subscribe at once', async () => {
    const server = scripted({}, SUBSCRIBABLE);
    const { plugin } = testServers(() => ({
      async connect(transport) {
        await server.connect(transport);
        const side = transport as Transport;
        const rest = side.onmessage;
        const send = (message: object) =>
          void side.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage).catch(() => undefined);
        side.onmessage = (message) => {
          if (!('method' in message) || message.method !== 'resources/subscribe') return rest?.(message);
          send({ id: 'id' in message && message.id, result: {} });
          send(updated);
        };
      },
    }));
    await using host = testHost([plugin]);
    await host.connect({ one: { type: 'test' } });
    const heard: HostEvents['resourceUpdated'][] = [];
    host.on('resourceUpdated', (event) => void heard.push(event));
    await host.subscribe(ref);
    await vi.waitFor(() => expect(heard).toEqual([ref]), { timeout: 20_000 });
  });

  it.each([
    ['the first', [0, 1]],
    ['the last', [1, 0]],
  ])(
    'is reported if one of two subscriptions failed, %s to be answered',
    async (_case, [late = 0, soon = 0]) => {
      const answers: (() => void)[] = [];
      const server = scripted(
        {
          'resources/subscribe': () => {
            const number = answers.length;
            return new Promise((resolve, reject) =>
              answers.push(() => (number === 0 ? reject(new RpcFailure(-32_603, 'no')) : resolve({}))),
            );
          },
        },
        SUBSCRIBABLE,
      );
      await using host = testHost([testServers(() => server).plugin]);
      await host.connect({ one: { type: 'test' } });
      const heard: HostEvents['resourceUpdated'][] = [];
      host.on('resourceUpdated', (event) => void heard.push(event));
      const both = [1, 2].map(() => host.subscribe(ref).catch((error: unknown) => error));
      await vi.waitFor(() => expect(answers).toHaveLength(2), { timeout: 20_000 });
      answers[late]?.();
      await both[late];
      answers[soon]?.();
      await Promise.all(both);
      await server.notify(updated.method, updated.params);
      await vi.waitFor(() => expect(heard).toEqual([ref]), { timeout: 20_000 });
    },
  );

  it('is not reported after a subscription that failed', async () => {
    const refuse = () => {
      throw new RpcFailure(-32_603, 'no');
    };
    const server = scripted({ 'resources/subscribe': refuse }, SUBSCRIBABLE);
    await using host = testHost([testServers(() => server).plugin]);
    await host.connect({ one: { type: 'test' } });
    const heard: string[] = [];
    host.on('resourceUpdated', () => void heard.push('updated'));
    host.on('notification', () => void heard.push('the next'));
    await expect(host.subscribe(ref)).rejects.toMatchObject({ code: 'RPC_ERROR' });
    await server.notify(updated.method, updated.params);
    await server.notify('vendor/next');
    await vi.waitFor(() => expect(heard).toEqual(['the next']), { timeout: 20_000 });
  });
});
