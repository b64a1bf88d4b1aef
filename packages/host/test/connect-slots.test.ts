import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import type { Host } from '@mcp-fittings/host';
import { calculator, testHost } from './support/calculator.js';
import { reaches } from './support/recorder.js';
import { testServers, type TestServer } from './support/in-process.js';

/** Takes every message and answers none. */
const silent: TestServer = { connect: async () => undefined };

/** Lets `ms` pass, and then what takes more than one turn of the event loop settle. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  await clock.advance(ms);
  for (let turn = 0; turn < 5; turn++) await clock.advance(0);
}

/** The names of servers in the order in which they reach `connected`. */
function connectedOf(host: Host): readonly string[] {
  const names: string[] = [];
  host.on('state', ({ server, state }) => void (state.status === 'connected' && names.push(server)));
  return names;
}

const many = (prefix: string, count: number): Record<string, ServerConfig> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, { type: 'test' }]));

describe('turns to connect', () => {
  it('sixteen servers that hang do not delay the others', async () => {
    const clock = createManualClock();
    const servers = testServers((name) => (name.startsWith('hanging') ? silent : calculator()));
    await using host = testHost([servers.plugin], { clock });
    const connected = connectedOf(host);
    const all = host.connect({ ...many('hanging', 16), ...many('good', 3) });
    await pass(clock, 499);
    expect(host.server('good0').state.status).toBe('pending');
    await pass(clock, 1);
    // The engine may still be loading; the clock stands still meanwhile.
    await Promise.all(['good0', 'good1', 'good2'].map((name) => reaches(host, name, 'connected')));
    expect(connected.toSorted()).toEqual(['good0', 'good1', 'good2']);
    expect(host.server('hanging15').state.status).toBe('connecting');
    await host.callTool({ server: 'good0', tool: 'add' }, { a: 1, b: 2 });
    await host.close();
    await all;
  });

  it('a slot is released once, however the attempt ends', async () => {
    const clock = createManualClock();
    const servers = testServers((name) => (name.startsWith('hanging') ? silent : calculator()));
    await using host = testHost([servers.plugin], {
      clock,
      limits: { parallelConnects: 1, connectMs: 1000 },
    });
    const all = host.connect(
      Object.fromEntries(
        Object.entries(many('hanging', 4)).map(([name, entry]) => [
          name,
          { ...entry, reconnect: { maxAttempts: 0 } },
        ]),
      ),
    );
    const statuses = (): readonly string[] => host.servers().map(({ state }) => state.status);
    await pass(clock, 0);
    expect(statuses()).toEqual(['connecting', 'pending', 'pending', 'pending']);
    await pass(clock, 500);
    expect(statuses()).toEqual(['connecting', 'connecting', 'pending', 'pending']);
    // The first one fails here: its turn went to the third when it was lent, not again now.
    await pass(clock, 500);
    await reaches(host, 'hanging0', 'failed');
    expect(statuses()).toEqual(['failed', 'connecting', 'connecting', 'pending']);
    await pass(clock, 2000);
    await all;
  });

  it('servers that hang while reconnecting do not delay others that reconnect', async () => {
    const clock = createManualClock();
    let broken = false;
    const servers = testServers((name) => (broken && name.startsWith('hanging') ? silent : calculator()));
    await using host = testHost([servers.plugin], { clock });
    await host.connect({ ...many('hanging', 16), good: { type: 'test', reconnect: { delayMs: 3000 } } });
    const connected = connectedOf(host);
    broken = true;
    await servers.drop();
    await pass(clock, 10_000);
    expect(connected).toEqual(['good']);
    expect(host.statistics().byStatus).toEqual({ connected: 1, connecting: 16 });
  });
});

describe('many entries at once', () => {
  it('a cache that hangs for one server does not delay the others', async () => {
    const servers = testServers(calculator);
    let asked = 0;
    let answer: (value: undefined) => void = () => undefined;
    await using host = testHost([servers.plugin], {
      cache: {
        // The lists of the server that is added first.
        get: () =>
          asked++ === 0
            ? new Promise<undefined>((resolve) => (answer = resolve))
            : Promise.resolve(undefined),
        set: async () => undefined,
        delete: async () => undefined,
      },
    });
    const connected = connectedOf(host);
    const all = host.connect({ slow: { type: 'test' }, good: { type: 'test' } });
    await reaches(host, 'good', 'connected');
    expect(connected).toEqual(['good']);
    answer(undefined);
    await all;
    expect(connected).toEqual(['good', 'slow']);
  });
});
