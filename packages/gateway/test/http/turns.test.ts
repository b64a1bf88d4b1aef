import { createHost } from '@mcp-fittings/host';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createGateway } from '../../src/create-gateway.js';
import { createFrontDoors } from '../../src/front-doors.js';
import { Turns } from '../../src/http/turns.js';
import { text, toyServer } from '../core/support.js';
import { requestOf } from '../support/task-replica.js';
import { byName } from '../support/test-gateway.js';
import { createTestSurface } from '../support/test-surface.js';

function callOf(token: string, name: string, path = '/mcp'): Request {
  const call = requestOf('tools/call', { name, arguments: {} }, { token, capabilities: {} });
  return new Request(`http://localhost${path}`, call);
}

/** Ann has many calls in flight, and then Bob makes one. */
const crowd = [...Array.from({ length: 100 }, () => 'ann'), 'bob'];

describe('requests that wait', () => {
  it('end quietly when their client leaves as they are answered', async () => {
    const surface = createTestSurface();
    await using gateway = createFrontDoors(surface, () => true, { access: byName });
    const client = new AbortController();
    const request = new Request(callOf('ann', 'wait'), { signal: client.signal });
    const left = gateway.fetch(request);
    await expect.poll(surface.waiting).toBe(1);
    surface.finish();
    client.abort();
    expect((await left).status).toBe(499);
  });

  it('of someone who has many leave turns of the event loop to what others have under way', async () => {
    const turns = new Turns(createManualClock());
    let turn = 0;
    const count = (): void => {
      turn += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const begun: [string, number][] = [];
    const take = (person: string): Promise<void> =>
      turns.take(person).then(() => void begun.push([person, turn]));
    const crowdOfTwo = ['ann', 'ann', 'ann', 'ann', 'carl', 'carl', 'carl'].map(take);
    const bob = take('bob');
    await Promise.all([...crowdOfTwo, bob]);
    clearImmediate(counting);
    expect(begun.map(([person]) => person).slice(0, 5)).toEqual(['ann', 'ann', 'bob', 'carl', 'ann']);
    const [, second = 0, ofBob = 0, ofCarl = 0] = begun.map(([, at]) => at);
    expect(ofBob - second).toBeLessThanOrEqual(1);
    expect(ofCarl - second).toBeGreaterThanOrEqual(8);
    // No one waits any more.
    await turns.take('dan');
  });

  it('of one person follow each other while no one else is there, and leave turns for a second after someone was', async () => {
    const clock = createManualClock();
    const turns = new Turns(clock);
    let turn = 0;
    const count = (): void => {
      turn += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const turnsOfCrowd = async (): Promise<number> => {
      turn = 0;
      await Promise.all(Array.from({ length: 17 }, () => turns.take('ann')));
      return turn;
    };
    expect(await turnsOfCrowd()).toBeLessThan(8);
    await turns.take('bob');
    expect(await turnsOfCrowd()).toBeGreaterThan(64);
    await clock.advance(999);
    expect(await turnsOfCrowd()).toBeGreaterThan(64);
    await clock.advance(1);
    expect(await turnsOfCrowd()).toBeLessThan(8);
    clearImmediate(counting);
  });

  it('begin without a turn of the event loop if the one before is answered', async () => {
    const turns = new Turns(createManualClock());
    const passed = new Promise<'a turn'>((resolve) => setImmediate(() => resolve('a turn')));
    for (let request = 0; request < 3; request++) {
      let answer = (): void => undefined;
      const begun = turns.take('ann').then(() => 'begun');
      expect(await Promise.race([begun, passed])).toBe('begun');
      turns.watch({ onOver: (listener) => (answer = listener) });
      answer();
    }
    // The next one waits while this one is not answered.
    await turns.take('ann');
    turns.watch({ onOver: () => undefined });
    expect(await Promise.race([turns.take('ann').then(() => 'begun'), Promise.resolve('waits')])).toBe(
      'waits',
    );
  });

  it.each([
    ['someone who comes', [], 9],
    ['someone who was there', ['bob'], 2],
  ])('and are answered at once are no way past the turns, beside %s', async (_, before, most) => {
    const turns = new Turns(createManualClock());
    const order: string[] = [];
    const serve = async (person: string): Promise<void> => {
      await turns.take(person);
      const over: (() => void)[] = [];
      turns.watch({ onOver: (listener) => over.push(listener) });
      order.push(person);
      for (const listener of over) listener();
    };
    const all: Promise<void>[] = [];
    for (const person of [...before, ...crowd]) {
      all.push(serve(person));
      // Sockets that are read in one turn: each request is answered before the next one is read.
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (let job = 0; job < 5; job++) await Promise.resolve();
    }
    await Promise.all(all);
    expect(order.lastIndexOf('bob') - before.length).toBeLessThanOrEqual(most);
    expect(turns.size).toBe(0);
  });

  it('count as requests in flight while they wait', async () => {
    const turns = new Turns(createManualClock());
    const waiting = ['ann', 'ann', 'ann', 'bob'].map((person) => turns.take(person));
    expect(turns.size).toBe(3);
    await Promise.all(waiting);
    expect(turns.size).toBe(0);
  });

  it('are served by turns of persons', async () => {
    const surface = createTestSurface();
    await using gateway = createFrontDoors(surface, () => true, { access: byName });
    const answers = crowd.map((token) => gateway.fetch(callOf(token, 'whoami')));
    for (const answer of answers) expect(await (await answer).text()).toContain(' at all');
    const order = surface.connections.map(({ caller }) => caller.id);
    expect(order).toHaveLength(crowd.length);
    expect(order.indexOf('bob')).toBeLessThan(4);
  });

  it('are served in turn also when they are refused, by clients of one person together', async () => {
    const servers = {
      notes: () => toyServer({ tools: [{ name: 'read' }], call: () => text('read') }),
    };
    await using host = createHost({ name: 'test', version: '1', transports: [inprocess({ servers })] });
    await host.connect({ notes: { type: 'sdk' } });
    let client = 0;
    await using gateway = createGateway(host, {
      access: {
        async authenticate({ headers }) {
          const principal = headers.get('authorization')?.slice('Bearer '.length) ?? '';
          return { caller: { id: `${principal}-${++client}`, principal } };
        },
      },
      rateLimits: [{ per: 'principal', requests: 2, intervalMs: 3_600_000 }],
    });
    const call = async (token: string): Promise<string> =>
      (await gateway.fetch(callOf(token, 'read', '/mcp/notes'))).text();
    // The connection of each person begins with the first call.
    for (const token of ['ann', 'ann', 'bob']) expect(await call(token)).toContain('"read"');
    const order: string[] = [];
    await Promise.all(
      crowd.map(async (token) => {
        const answer = await call(token);
        expect(answer).toContain(token === 'bob' ? '"read"' : 'RATE_LIMITED');
        order.push(token);
      }),
    );
    // The call goes to a server and back meanwhile.
    expect(order.indexOf('bob')).toBeLessThan(50);
    expect(gateway.load().rateLimits?.refused).toBe(100);
  });
});
