import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import {
  createConcurrencyLimiter,
  type ConcurrencyLimiter,
  type Waiter,
} from '../src/http/concurrency-limiter.js';
import { createHttpClient } from '../src/index.js';
import { startHttp } from './support/http-server.js';
import { grownAfterMinorCollections } from './support/young-heap.js';
import type { ServerResponse } from 'node:http';

interface Guest extends Waiter {
  state: 'waiting' | 'inside' | 'refused';
}

const guest = (): Guest => ({
  state: 'waiting',
  start() {
    this.state = 'inside';
  },
  refuse() {
    this.state = 'refused';
  },
});

const leave = (gate: ConcurrencyLimiter, one: Guest | undefined): void => {
  if (one !== undefined) gate.leave(one);
};

const inside = (guests: readonly Guest[]): number => guests.filter(({ state }) => state === 'inside').length;

function crowd(count: number, policy = {}) {
  const clock = createManualClock();
  const gate = createConcurrencyLimiter({ initial: 4, stallMs: 50, ...policy }, clock);
  const guests = Array.from({ length: count }, guest);
  for (const one of guests) gate.enter(one);
  return { clock, gate, guests };
}

describe('the socket limit', () => {
  it('lets few in, and the next as one leaves, in order', () => {
    const { gate, guests } = crowd(6);
    expect(guests.map(({ state }) => state === 'inside')).toEqual([true, true, true, true, false, false]);
    leave(gate, guests[2]);
    expect(guests[4]?.state).toBe('inside');
    expect(guests[5]?.state).toBe('waiting');
  });

  it('doubles while no request completes, so that long calls do not block short ones', async () => {
    const { clock, guests } = crowd(20);
    expect(inside(guests)).toBe(4);
    await clock.advance(50);
    expect(inside(guests)).toBe(8);
    await clock.advance(50);
    expect(inside(guests)).toBe(16);
    await clock.advance(50);
    expect(inside(guests)).toBe(20);
    expect(clock.pending).toBe(0);
  });

  it('does not grow while others complete', async () => {
    const { clock, gate, guests } = crowd(40);
    for (let turn = 0; turn < 6; turn++) {
      leave(gate, guests[turn]);
      await clock.advance(50);
    }
    expect(inside(guests)).toBe(4 + 6);
  });

  it('grows eventually even while others complete, if the queue does not shrink', async () => {
    const { clock, gate, guests } = crowd(40);
    for (let turn = 0; turn < 8; turn++) {
      leave(gate, guests[turn]);
      await clock.advance(50);
    }
    expect(inside(guests)).toBe(8 + 8);
  });

  it('grows again only if that changed how fast requests complete, so that a long burst has few sockets', async () => {
    const { clock, gate, guests } = crowd(2000);
    const completeFor = async (intervals: number, each: number) => {
      for (let turn = 0; turn < intervals; turn++) {
        for (const one of guests.splice(0, each)) gate.leave(one);
        await clock.advance(50);
      }
    };
    await completeFor(8, 4);
    expect(inside(guests)).toBe(8);
    // The server, or this process, is as fast as it can be.
    await completeFor(80, 4);
    expect(inside(guests)).toBe(8);
    await completeFor(8, 8);
    expect(inside(guests)).toBe(16);
    // Most of them are held by long calls now.
    await completeFor(8, 1);
    expect(inside(guests)).toBe(32);
  });

  it('does not grow if an answer was there and not yet read, as after a long turn of the event loop', async () => {
    const { clock, gate, guests } = crowd(20);
    clock.schedule(() => leave(gate, guests[0]), 50);
    await clock.advance(50);
    expect(inside(guests)).toBe(4 + 1);
    expect(clock.nextIn).toBe(50);
  });

  it('never exceeds the maximum', async () => {
    const { clock, guests } = crowd(20, { max: 6 });
    await clock.advance(10_000);
    expect(inside(guests)).toBe(6);
  });

  it('falls back when the burst is over', async () => {
    const { clock, gate, guests } = crowd(20);
    await clock.advance(1000);
    for (const one of guests) gate.leave(one);
    const next = Array.from({ length: 6 }, guest);
    for (const one of next) gate.enter(one);
    expect(inside(next)).toBe(4);
  });

  it('lets one that gave up neither in nor stand in the way', async () => {
    const { clock, gate, guests } = crowd(6);
    leave(gate, guests[4]);
    leave(gate, guests[0]);
    expect(guests[4]?.state).toBe('waiting');
    expect(guests[5]?.state).toBe('inside');
    await clock.advance(1000);
    expect(clock.pending).toBe(0);
  });

  it('refuses who waits when it is closed, and who comes later', () => {
    const { clock, gate, guests } = crowd(5);
    gate.close();
    const late = guest();
    gate.enter(late);
    expect([guests[0]?.state, guests[4]?.state, late.state]).toEqual(['inside', 'refused', 'refused']);
    expect(clock.pending).toBe(0);
  });
});

describe('real sockets', () => {
  it('a burst of 500 calls shares them', async () => {
    await using server = await startHttp((_, response) => response.end('ok'));
    await using network = createHttpClient({ url: server.origin });
    const call = () => network.request({ url: new URL(server.origin), method: 'POST', body: '{}' });
    const replies = await Promise.all(Array.from({ length: 500 }, call));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(server.connections).toBeLessThan(500);
  });

  it('40 calls that last do not hold up a short one', async () => {
    const held: ServerResponse[] = [];
    await using server = await startHttp((request, response) => {
      if (request.url === '/long') held.push(response);
      else response.end('short');
    });
    await using network = createHttpClient({ url: server.origin });
    const call = (path: string) =>
      network.request({ url: new URL(path, server.origin), method: 'POST', body: '{}' });
    const long = Array.from({ length: 40 }, () => call('/long'));
    expect((await call('/short')).text()).toBe('short');
    // All of them got through, not only the first 16.
    while (held.length < 40) await new Promise((resolve) => setImmediate(resolve));
    for (const response of held) response.end('long');
    expect((await Promise.all(long)).map((reply) => reply.text())).toEqual(Array(40).fill('long'));
  });
});

describe('a crowd that changes all the time', () => {
  it('is let in in order, without those that have left, however many there were', () => {
    const { gate, guests } = crowd(6000);
    const leaving = guests.filter((_, index) => index >= 4 && index % 3 === 0);
    for (const one of leaving) gate.leave(one);
    const order: number[] = [];
    const staying = guests.filter((one) => !leaving.includes(one));
    for (const one of staying.slice(4)) one.start = () => order.push(guests.indexOf(one));
    for (const one of staying) gate.leave(one);
    expect(order).toEqual(staying.slice(4).map((one) => guests.indexOf(one)));
    expect(leaving.every(({ state }) => state === 'waiting')).toBe(true);
    const late = guest();
    gate.enter(late);
    expect(late.state).toBe('inside');
  });

  it('is not kept in memory by copies of what it was held in', () => {
    const { gate } = crowd(0, { initial: 64 });
    const heavy = (): Guest & { readonly body: readonly number[] } => ({
      ...guest(),
      body: Array.from({ length: 500 }, () => 0),
    });
    const present: Guest[] = [];
    const grown = grownAfterMinorCollections((collectYoung) => {
      for (let made = 0; made < 20_000; made++) {
        const one = heavy();
        gate.enter(one);
        present.push(one);
        if (present.length > 64) leave(gate, present.shift());
        if (made % 1000 === 0) collectYoung();
      }
      for (const one of present.splice(0)) gate.leave(one);
    });
    // 4 KB each, 80 MB in all, of which each collection finds 64 in use. With a `Set` it was 55 MB.
    expect(grown).toBeLessThan(25_000_000);
  });
});
