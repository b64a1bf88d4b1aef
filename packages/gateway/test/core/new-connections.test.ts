import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { Server } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { gatewayOver, listen, text, toyServer } from './support.js';

/** A server that notes what each of its connections is told. */
function noting() {
  const connections: Server[] = [];
  const told: string[] = [];
  const make = () => {
    const number = connections.length + 1;
    const server = toyServer({
      tools: [{ name: 'x' }],
      resources: [{ uri: 'memo://a', name: 'a' }],
      call: () => text('ok'),
      onRequest: (method) => {
        if (method.endsWith('ubscribe')) told.push(`${number} ${method.slice('resources/'.length)}`);
      },
    });
    server.setRequestHandler('logging/setLevel', ({ params }) => {
      told.push(`${number} ${params.level}`);
      return {};
    });
    connections.push(server);
    return server;
  };
  return { connections, told, make };
}

describe('a new connection to a server', () => {
  it('of a person who was away is told the log level, which is told once', async () => {
    const { told, make } = noting();
    const clock = createManualClock();
    await using gateway = await gatewayOver({ own: make }, { clock, host: { clock, lazy: true } });
    const client = await gateway.v2({ caller: { id: 'p', principal: 'p' }, mount: { server: 'own' } });
    await client.setLoggingLevel('warning');
    const begun = [...told];
    expect(begun).toEqual([expect.stringContaining('warning')]);
    await clock.advance(400_000);
    expect(gateway.host.tools({ principal: 'p' })).toEqual([]);
    await client.callTool({ name: 'x', arguments: {} });
    await vi.waitFor(() => expect(told.slice(1)).toEqual([expect.stringContaining('warning')]));
    await client.setLoggingLevel('warning');
    expect(told).toHaveLength(2);
  });

  it('with a changed entry is told subscriptions and the log level, and the host restores them after that', async () => {
    const { connections, told, make } = noting();
    const clock = createManualClock();
    await using gateway = await gatewayOver({ own: make }, { clock, host: { clock } });
    const updated: string[] = [];
    const prepare = (each: { fallbackNotificationHandler?: unknown }): void => {
      each.fallbackNotificationHandler = async ({ method }: { method: string }) => void updated.push(method);
    };
    const client = await gateway.v2({ prepare });
    await client.subscribeResource({ uri: 'memo://a' });
    await client.setLoggingLevel('warning');
    const stop = listen(gateway.surface, { id: 'x' }, { resourceSubscriptions: ['memo://a'] });
    expect(told).toEqual(['1 subscribe', '1 warning']);

    await gateway.host.connect({ own: { type: 'sdk', timeout: 5000 } });
    await vi.waitFor(() => expect(told.slice(2).toSorted()).toEqual(['2 subscribe', '2 warning']));
    // The host drops updates until it has the response to its subscription.
    await vi.waitFor(async () => {
      await connections[1]?.sendResourceUpdated({ uri: 'memo://a' });
      expect(updated[0]).toBe('notifications/resources/updated');
    });

    await connections[1]?.close();
    await vi.waitFor(() => expect(gateway.host.server('own').state.status).toBe('pending'));
    await clock.advance(30_000);
    await vi.waitFor(() => expect(told.slice(4).toSorted()).toEqual(['3 subscribe', '3 warning']));
    expect(gateway.host.server('own').state.status).toBe('connected');
    expect(told).toHaveLength(6);

    stop();
    await client.unsubscribeResource({ uri: 'memo://a' });
    await vi.waitFor(() => expect(told.slice(6)).toEqual(['3 unsubscribe']));
    await gateway.host.connect({ own: { type: 'sdk', timeout: 6000 } });
    await vi.waitFor(() => expect(told.slice(7)).toEqual(['4 warning']));
  });
});

it('subscribes again when the server has answered the end of the last subscription', async () => {
  const { told, make } = noting();
  let answer = (): void => undefined;
  const own = () => {
    const server = make();
    server.setRequestHandler('resources/unsubscribe', async () => {
      told.push('1 unsubscribe');
      await new Promise<void>((resolve) => (answer = resolve));
      return {};
    });
    return server;
  };
  await using gateway = await gatewayOver({ own });
  const client = await gateway.v2();
  await client.subscribeResource({ uri: 'memo://a' });
  const left = client.unsubscribeResource({ uri: 'memo://a' });
  await vi.waitFor(() => expect(told).toEqual(['1 subscribe', '1 unsubscribe']));
  const again = client.subscribeResource({ uri: 'memo://a' });
  // A request that is sent meanwhile would be there before this one.
  await client.callTool({ name: 'own__x', arguments: {} });
  expect(told).toHaveLength(2);
  answer();
  await Promise.all([left, again]);
  expect(told).toEqual(['1 subscribe', '1 unsubscribe', '1 subscribe']);
});
