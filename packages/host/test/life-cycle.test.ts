import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FittingsError, TransportError, type TransportPlugin } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { Host, HostEvents, ServerSnapshot } from '@mcp-fittings/host';
import { calculator, testHost } from './support/calculator.js';
import { testServers, type TestServers } from './support/in-process.js';
import { reaches, recordStates } from './support/recorder.js';

const entry = { calc: { type: 'test' } };

function hostOn(servers: TestServers, more: object = {}) {
  const clock = createManualClock();
  const host = testHost([servers.plugin], { clock, random: () => 0, ...more });
  onTestFinished(() => host.close());
  return { host, clock };
}

describe('the life of a connection', () => {
  it('goes through its phases and back', async () => {
    const { host } = hostOn(testServers(calculator));
    const states = recordStates(host, 'calc');
    await host.connect(entry);
    await host.stop('calc');
    expect(states).toEqual([
      'pending 1',
      'connecting/choosing transport',
      'connecting/starting',
      'connecting/handshake',
      'connecting/listing',
      'connected',
      'disconnecting',
      'disconnected/stopped',
    ]);
  });

  it('aborts the signal of a transport while it connects, and never after that', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const plugin = (servers: TestServers): TransportPlugin => ({
      ...servers.plugin,
      create(config, context) {
        signals.push(context.signal);
        return servers.plugin.create(config, context);
      },
    });
    const working = testServers(calculator);
    const { host } = hostOn(working, { transports: [plugin(working)] });
    await host.connect(entry);
    await host.close();
    const silent = testServers(() => ({ connect: async () => undefined }));
    const { host: other } = hostOn(silent, { transports: [plugin(silent)] });
    const connecting = other.connect(entry);
    await vi.waitFor(() => expect(silent.open).toBe(1), { timeout: 20_000 });
    await other.close();
    await connecting;
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
  });

  it('gives up a server that never answers, and cleans up', async () => {
    const silent = testServers(() => ({ connect: async () => undefined }));
    const { host, clock } = hostOn(silent, { limits: { connectMs: 30_000 } });
    const connecting = host.connect({ calc: { type: 'test', reconnect: { maxAttempts: 0 } } });
    await clock.advance(30_000);
    const [snapshot] = await connecting;
    expect(snapshot?.state).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT', server: 'calc' } });
    expect(clock.pending).toBe(0);
  });

  it('tries again after 1, 2, 4 seconds if the failure may be temporary', async () => {
    let failures = 3;
    const servers = testServers(() => {
      if (failures-- > 0) throw new TransportError('CONNECTION_REFUSED', 'connection refused');
      return calculator();
    });
    const { host, clock } = hostOn(servers);
    const [first] = await host.connect(entry);
    expect(first?.state).toMatchObject({
      status: 'pending',
      attempt: 2,
      error: { code: 'CONNECTION_REFUSED' },
    });
    for (const seconds of [1, 2, 4]) {
      expect(host.server('calc').state.status).toBe('pending');
      await clock.advance(seconds * 1000 - 1);
      expect(host.server('calc').state.status).toBe('pending');
      await clock.advance(1);
    }
    expect(host.server('calc').state.status).toBe('connected');
  });

  it('does not try again if only the user can fix it', async () => {
    const servers = testServers(() => {
      throw new FittingsError('CONFIG_INVALID', 'no such thing');
    });
    const { host, clock } = hostOn(servers);
    const [snapshot] = await host.connect(entry);
    expect(snapshot?.state).toMatchObject({ status: 'failed', error: { code: 'CONFIG_INVALID' } });
    expect(clock.pending).toBe(0);
    expect(servers.created).toBe(1);
  });

  it('reconnects after an unexpected close, and never after a stop', async () => {
    const servers = testServers(calculator);
    const { host, clock } = hostOn(servers);
    await host.connect(entry);
    const events: string[] = [];
    host.on('reconnected', ({ server }) => events.push(`${server} is back`));
    await servers.drop();
    await reaches(host, 'calc', 'pending');
    await clock.advance(1000);
    await reaches(host, 'calc', 'connected');
    expect(events).toEqual(['calc is back']);
    await host.stop('calc');
    await clock.advance(600_000);
    expect(host.server('calc').state).toEqual({ status: 'disconnected', reason: 'stopped' });
    expect(servers.created).toBe(2);
  });

  it.each(['idle', 'never started'])('stops a server that is %s for calls, too', async (what) => {
    const servers = testServers(calculator);
    const { host, clock } = hostOn(servers, { lazy: true, idleMs: 1000 });
    await host.connect(entry);
    if (what === 'idle') {
      await host.start('calc');
      await clock.advance(1000);
      await reaches(host, 'calc', 'disconnected');
    }
    await host.stop('calc');
    expect(host.server('calc').state).toEqual({ status: 'disconnected', reason: 'stopped' });
    await expect(host.callTool({ server: 'calc', tool: 'add' }, {})).rejects.toMatchObject({
      code: 'TRANSPORT_CLOSED',
    });
    await host.start('calc');
    expect(host.server('calc').state.status).toBe('connected');
  });

  it('leaves a stopped server alone that is connected with the same entry, and replaces it for another', async () => {
    const servers = testServers(calculator);
    const { host } = hostOn(servers);
    await host.connect(entry);
    await host.stop('calc');
    const [same] = await host.connect(entry);
    expect(same?.state).toEqual({ status: 'disconnected', reason: 'stopped' });
    expect(servers.created).toBe(1);
    const [other] = await host.connect({ calc: { type: 'test', note: 'changed' } });
    expect(other?.state.status).toBe('connected');
    await host.stop('calc');
    await host.start('calc');
    expect(host.server('calc').state.status).toBe('connected');
  });

  it('gives up a server that connects and exits: only progress restores the number of attempts', async () => {
    const servers = testServers(calculator);
    const { host, clock } = hostOn(servers);
    await host.connect({ calc: { type: 'test', reconnect: { maxAttempts: 3, delayMs: 10 } } });
    const failed: unknown[] = [];
    host.on('reconnectFailed', ({ error }) => failed.push(error.code));
    host.on('state', ({ state }) => {
      if (state.status === 'connected') void servers.drop();
    });
    await servers.drop();
    await reaches(host, 'calc', 'pending');
    // How many attempts fit into one step depends on how soon each end is noticed.
    while (host.server('calc').state.status !== 'failed') await clock.advance(10);
    expect(servers.created).toBe(4);
    expect(failed).toEqual(['CONNECTION_LOST']);
  });

  it('restores the number of attempts after a call has succeeded', async () => {
    const servers = testServers(calculator);
    const { host, clock } = hostOn(servers);
    await host.connect({ calc: { type: 'test', reconnect: { maxAttempts: 1, delayMs: 10 } } });
    for (let i = 0; i < 5; i++) {
      await host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: i });
      await servers.drop();
      await reaches(host, 'calc', 'pending');
      await clock.advance(10);
      await reaches(host, 'calc', 'connected');
    }
    expect(servers.created).toBe(6);
  });

  it('reconnects a server that does not answer health checks', async () => {
    let deaf = false;
    const servers = testServers(() => {
      const one = calculator();
      return {
        async connect(transport) {
          await one.connect(transport);
          const side = transport as { onmessage?: (message: { method?: string }) => void };
          const handle = side.onmessage?.bind(side);
          side.onmessage = (message) => {
            if (!deaf || message.method !== 'ping') handle?.(message);
          };
        },
      };
    });
    const { host, clock } = hostOn(servers);
    const unhealthy: HostEvents['unhealthy'][] = [];
    host.on('unhealthy', (event) => unhealthy.push(event));
    await host.connect({
      calc: {
        type: 'test',
        healthCheck: { enabled: true, intervalMs: 30_000, timeoutMs: 1, maxFailures: 2 },
      },
    });
    await clock.advance(90_000);
    expect(unhealthy).toEqual([]);
    deaf = true;
    const back = reaches(host, 'calc', 'pending');
    // The SDK counts the time-out of a request with the clock of the machine: one millisecond each.
    while (unhealthy.length === 0) {
      await clock.advance(30_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    deaf = false;
    await back;
    await clock.advance(1000);
    await reaches(host, 'calc', 'connected');
    const error = { code: 'TIMEOUT', server: 'calc', cause: expect.any(FittingsError) };
    expect(unhealthy).toMatchObject([{ server: 'calc', failures: 2, error }]);
    expect(servers.mostOpen).toBe(1);
  });

  it('limits parallel connects', async () => {
    let starting = 0;
    let most = 0;
    const servers = testServers(() => {
      const one = calculator();
      return {
        async connect(transport) {
          most = Math.max(most, ++starting);
          await new Promise((resolve) => setImmediate(resolve));
          starting--;
          await one.connect(transport);
        },
      };
    });
    const { host } = hostOn(servers, { limits: { parallelConnects: 3 } });
    const names = Array.from({ length: 12 }, (_, index) => [`s${index}`, { type: 'test' }] as const);
    const snapshots = await host.connect(Object.fromEntries(names));
    expect(snapshots.every(({ state }) => state.status === 'connected')).toBe(true);
    expect(most).toBe(3);
  });

  it('never connects a disabled server, and starts it after enable', async () => {
    const servers = testServers(calculator);
    const { host } = hostOn(servers);
    await host.connect({ calc: { type: 'test', disabled: true } });
    expect(host.server('calc').state).toEqual({ status: 'disabled' });
    await expect(host.start('calc')).rejects.toMatchObject({ code: 'SERVER_DISABLED' });
    await expect(host.callTool({ server: 'calc', tool: 'add' })).rejects.toMatchObject({
      code: 'SERVER_DISABLED',
      delivery: 'not-sent',
    });
    host.enable('calc');
    await host.start('calc');
    await host.disable('calc');
    expect(host.server('calc').state).toEqual({ status: 'disabled' });
    expect(servers.open).toBe(0);
  });

  it('can be started after an enable that came before its disable was done', async () => {
    const servers = testServers(calculator);
    const { host } = hostOn(servers);
    await host.connect(entry);
    const disabled = host.disable('calc');
    host.enable('calc');
    await disabled;
    expect(host.server('calc').state).toEqual({ status: 'disconnected', reason: 'not started' });
    expect(await host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 1 })).toMatchObject({
      content: [{ text: '2' }],
    });
  });

  it('starts a lazy server at its first use, once, and stops it when idle', async () => {
    const servers = testServers(calculator);
    const { host, clock } = hostOn(servers, { lazy: true, idleMs: 60_000 });
    await Promise.all([host.connect(entry), host.connect(entry)]);
    expect(servers.created).toBe(0);
    const sums = await Promise.all(
      [1, 2, 3].map((a) => host.callTool({ server: 'calc', tool: 'add' }, { a, b: 1 })),
    );
    expect(sums.map(({ content }) => (content[0] as { text: string }).text)).toEqual(['2', '3', '4']);
    expect(servers.created).toBe(1);
    await clock.advance(59_999);
    expect(host.server('calc').state.status).toBe('connected');
    await clock.advance(1);
    await reaches(host, 'calc', 'disconnected');
    expect(host.server('calc').state).toEqual({ status: 'disconnected', reason: 'idle' });
    await host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 1 });
    expect(servers.created).toBe(2);
    await host.close();
    expect(clock.pending).toBe(0);
  });

  it('counts', async () => {
    const servers = testServers((name) => {
      if (name === 'broken') throw new FittingsError('CONFIG_INVALID', 'broken');
      return calculator();
    });
    const { host } = hostOn(servers);
    await host.connect({ ...entry, broken: { type: 'test' }, off: { type: 'test', disabled: true } });
    expect(host.statistics()).toEqual({
      servers: 3,
      connected: 1,
      errored: 1,
      tools: 2,
      byStatus: { connected: 1, failed: 1, disabled: 1 },
    });
    expect(host.server('broken').lastError).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('names the package to install for a missing transport', async () => {
    const { host } = hostOn(testServers(calculator));
    const [snapshot] = await host.connect({ remote: { url: 'https://example.com/mcp' } });
    expect(snapshot?.state).toMatchObject({
      status: 'failed',
      error: {
        code: 'TRANSPORT_UNKNOWN',
        hint: expect.stringContaining('npm install @mcp-fittings/transport-http'),
      },
    });
  });

  it('names each mistake of an entry', async () => {
    const { host } = hostOn(testServers(calculator));
    const snapshots = await host.connect({
      a: { type: 'test', timeout: -1, reconnect: { maxAttempts: 'many' } },
      b: { type: 'test', note: 7 },
      c: {},
    });
    expect(
      snapshots.map(({ state }) => (state.status === 'failed' ? state.error.message : state.status)),
    ).toEqual([
      expect.stringContaining('"timeout" must be a whole number'),
      expect.stringContaining('"note" must be text'),
      expect.stringContaining('neither "type" nor "command" nor "url"'),
    ]);
  });
});

describe('settled()', () => {
  it('resolves when the last attempt of the last server has ended', async () => {
    let attempts = 0;
    const servers = testServers((name) => {
      if (name === 'late' && ++attempts < 3) throw refused();
      if (name === 'never') throw refused();
      return calculator();
    });
    const { host, clock } = hostOn(servers);
    await host.connect({
      ...entry,
      late: { type: 'test' },
      never: { type: 'test', reconnect: { maxAttempts: 2 } },
    });
    expect(host.server('late').state.status).toBe('pending');
    let snapshots: readonly ServerSnapshot[] | undefined;
    const settled = host.settled().then((all) => (snapshots = all));
    await clock.advance(1000);
    expect(snapshots).toBeUndefined();
    await clock.advance(60_000);
    await settled;
    expect(snapshots?.map(({ name, state }) => [name, state.status])).toEqual([
      ['calc', 'connected'],
      ['late', 'connected'],
      ['never', 'failed'],
    ]);
  });

  it('ends with its signal, and at once if nothing is under way', async () => {
    const { host } = hostOn(
      testServers(() => {
        throw refused();
      }),
    );
    expect(await host.settled()).toEqual([]);
    await host.connect(entry);
    await expect(host.settled({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    await host.close();
    expect((await host.settled()).map(({ state }) => state.status)).toEqual(['disconnected']);
  });
});

const refused = () => new FittingsError('CONNECT_FAILED', 'refused', { kind: 'network-temporary' });

describe('a call to a server that has failed', () => {
  const down = (error: FittingsError) => {
    let isDown = true;
    const servers = testServers(() => {
      if (isDown) throw error;
      return calculator();
    });
    return { servers, repair: () => (isDown = false) };
  };
  const add = (host: Host) => host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 1 });
  const once = { calc: { type: 'test', reconnect: { maxAttempts: 1, delayMs: 1000 } } };

  it('reaches it when it is back, without anybody who starts it', async () => {
    const { servers, repair } = down(refused());
    const { host, clock } = hostOn(servers);
    const connecting = host.connect(once);
    await clock.advance(1000);
    await connecting;
    await reaches(host, 'calc', 'failed');
    repair();
    await clock.advance(1000);
    await expect(add(host)).resolves.toMatchObject({ content: [{ text: '2' }] });
    expect(host.server('calc').state.status).toBe('connected');
  });

  it('tries once, no sooner than after a delay that doubles, and fails at once in between', async () => {
    const { servers } = down(refused());
    const { host, clock } = hostOn(servers);
    const connecting = host.connect(once);
    await clock.advance(1000);
    await connecting;
    await reaches(host, 'calc', 'failed');
    const before = servers.created;
    const attempts: number[] = [];
    for (let ms = 0; ms <= 8000; ms += 500) {
      const created = servers.created;
      await expect(add(host)).rejects.toMatchObject({ code: 'CONNECT_FAILED', delivery: 'not-sent' });
      if (servers.created > created) attempts.push(ms);
      await clock.advance(500);
    }
    expect(attempts).toEqual([1000, 3000, 7000]);
    expect(servers.created - before).toBe(3);
  });

  it.each([
    ['whose entry is invalid', new FittingsError('CONFIG_INVALID', 'no'), once],
    ['that never reconnects', refused(), { calc: { type: 'test', reconnect: { maxAttempts: 0 } } }],
  ])('does not try one %s', async (_, error, entries) => {
    const { servers, repair } = down(error);
    const { host, clock } = hostOn(servers);
    await host.connect(entries);
    repair();
    await clock.advance(60_000);
    await expect(add(host)).rejects.toMatchObject({ code: error.code });
    expect(servers.created).toBe(1);
  });
});
