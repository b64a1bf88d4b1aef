import { describe, expect, it, vi } from 'vitest';
import {
  AuthRequiredError,
  FittingsError,
  type Transport,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { HostEvents } from '@mcp-fittings/host';
import { testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { reaches } from './support/recorder.js';
import { scripted } from './support/scripted.js';

const lists = {
  'tools/list': () => ({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }),
  'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
  'resources/list': () => ({ resources: [{ uri: 'a:b', name: 'r' }] }),
};

describe('the tools that can be used now', () => {
  it('lists what can be called now or at its next use, and nothing of other servers', async () => {
    let failure: FittingsError | undefined;
    const servers = testServers(() => {
      if (failure !== undefined) throw failure;
      return scripted(lists);
    });
    const clock = createManualClock();
    await using host = testHost([servers.plugin], { clock, random: () => 0 });
    const offered = () => [
      host.tools().map((tool) => {
        expect(host.tool({ server: 'a', tool: 't' })).toEqual(tool);
        return `${tool.name} ${tool.serverState}`;
      }),
      host.prompts().length,
      host.resources().length,
    ];
    await host.connect({ a: { type: 'test', idleMs: 1000 } });
    expect(offered()).toEqual([['t connected'], 1, 1]);
    expect(host.tools()[0]).toBe(host.tools()[0]);

    await clock.advance(1000);
    await reaches(host, 'a', 'disconnected');
    expect(offered()).toEqual([['t disconnected'], 1, 1]);

    await host.start('a');
    await host.stop('a');
    expect(offered()).toEqual([[], 0, 0]);
    expect(host.tool({ server: 'a', tool: 't' })).toBeUndefined();
    await host.start('a');
    const disabling = host.disable('a');
    expect(offered()).toEqual([[], 0, 0]);
    await disabling;
    expect(offered()).toEqual([[], 0, 0]);
    host.enable('a');
    expect(offered()).toEqual([['t disconnected'], 1, 1]);

    await host.start('a');
    failure = new FittingsError('CONNECTION_REFUSED', 'down');
    await servers.drop();
    await reaches(host, 'a', 'pending');
    expect(offered()).toEqual([['t pending'], 1, 1]);
    failure = new FittingsError('CONFIG_INVALID', 'broken');
    await clock.advance(30_000);
    await reaches(host, 'a', 'failed');
    expect(offered()).toEqual([[], 0, 0]);
    expect(host.server('a').counts.tools).toBe(1);

    failure = undefined;
    await host.start('a');
    failure = new AuthRequiredError('sign in');
    await servers.drop();
    await reaches(host, 'a', 'pending');
    await clock.advance(30_000);
    await reaches(host, 'a', 'needs-auth');
    expect(offered()).toEqual([[], 0, 0]);
  });

  it('passes on notifications that it does not handle, and sends any', async () => {
    const server = scripted(lists);
    await using host = testHost([testServers(() => server).plugin], {
      limits: { eventsPerSecond: 5 },
      clock: createManualClock(),
    });
    const heard: HostEvents['notification'][] = [];
    host.on('notification', (event) => heard.push(event));
    await host.connect({ a: { type: 'test' } });
    await server.notify('notifications/vendor/progress', { done: 1 });
    await server.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
    await server.notify('notifications/message', { level: 'info', data: 'known' });
    await server.notify('vendor/without-prefix');
    await server.notify('notifications/vendor/huge', { list: Array.from({ length: 20_000 }, () => 0) });
    await vi.waitFor(() => expect(heard).toHaveLength(3), { timeout: 20_000 });
    expect(heard).toEqual([
      { server: 'a', method: 'notifications/vendor/progress', params: { done: 1 } },
      { server: 'a', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } },
      { server: 'a', method: 'vendor/without-prefix', params: {} },
    ]);
    for (let count = 0; count < 50; count++) await server.notify('notifications/vendor/flood');
    await host.notify('a', 'notifications/vendor/hello', { from: 'host' });
    await vi.waitFor(
      () =>
        expect(server.told).toContainEqual({
          jsonrpc: '2.0',
          method: 'notifications/vendor/hello',
          params: { from: 'host' },
        }),
      { timeout: 20_000 },
    );
    expect(heard.length).toBeLessThanOrEqual(5);
    await expect(host.notify('unknown', 'x/y')).rejects.toMatchObject({ code: 'SERVER_UNKNOWN' });
    await host.stop('a');
    await expect(host.notify('a', 'x/y')).rejects.toMatchObject({ delivery: 'not-sent' });
  });

  it.each([
    ['a stream', (transport?: Transport) => [transport?.onreconnect?.(), transport?.onreconnect?.()]],
    ['a session', (transport?: Transport) => [transport?.onsessionrestored?.({})]],
    [
      'a session with its stream',
      (transport?: Transport) => [transport?.onsessionrestored?.({}), transport?.onreconnect?.()],
    ],
  ])('reads its lists again and subscribes again, once, when %s is back', async (_case, comesBack) => {
    const server = scripted(
      { ...lists, 'resources/subscribe': () => ({}) },
      { tools: {}, prompts: {}, resources: { subscribe: true } },
    );
    const { plugin } = testServers(() => server);
    let transport: Transport | undefined;
    const spying: TransportPlugin = {
      ...plugin,
      create: (...given) => (transport = plugin.create(...given)),
    };
    const clock = createManualClock();
    await using host = testHost([spying], { clock });
    await host.connect({ a: { type: 'test' } });
    await host.subscribe({ server: 'a', uri: 'a:b' });
    const counted = (method: string) => server.asked.filter((asked) => asked === method).length;
    const updated: string[] = [];
    host.on('resourceUpdated', ({ uri }) => updated.push(uri));
    const before = counted('tools/list');
    comesBack(transport);
    await clock.advance(1000);
    await vi.waitFor(() => expect(counted('resources/templates/list')).toBe(2), { timeout: 20_000 });
    await vi.waitFor(() => expect(counted('resources/subscribe')).toBe(2), { timeout: 20_000 });
    await vi.waitFor(() => expect(updated).toEqual(['a:b']), { timeout: 20_000 });
    expect([counted('tools/list') - before, counted('prompts/list'), counted('resources/list')]).toEqual([
      1, 2, 2,
    ]);
    await host.stop('a');
    transport?.onreconnect?.();
    await clock.advance(1000);
    expect(counted('tools/list')).toBe(before + 1);
  });

  it('a list that changes while it is read for the first time is read again', async () => {
    let added = false;
    const server = scripted(
      {
        async 'tools/list'() {
          const names = added ? ['t', 'late'] : ['t'];
          if (!added) {
            added = true;
            await server.notify('notifications/tools/list_changed');
          }
          return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) };
        },
      },
      { tools: { listChanged: true } },
    );
    const clock = createManualClock();
    await using host = testHost([testServers(() => server).plugin], { clock });
    await host.connect({ a: { type: 'test' } });
    await clock.advance(250);
    await vi.waitFor(() => expect(host.tools().map(({ name }) => name)).toEqual(['t', 'late']), {
      timeout: 20_000,
    });
  });
});
