import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { ConcurrencyLimiter, type Waiter } from '../src/http/concurrency-limiter.js';
import { createHttpClient } from '../src/index.js';
import { startHttp } from './support/http-server.js';
import { grownAfterMinorCollections } from './support/young-heap.js';
import { request } from './support/request.js';
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

const enter = (gate: ConcurrencyLimiter, one: Guest): void => {
  if (gate.enter(one)) one.start();
};

const leave = (gate: ConcurrencyLimiter, one: Guest | undefined): void => {
  if (one !== undefined) gate.leave(one);
};

const inside = (guests: readonly Guest[]): number => guests.filter(({ state }) => state === 'inside').length;

function crowd(count: number, max?: number) {
  const clock = createManualClock();
  const gate = new ConcurrencyLimiter(clock, max);
  const guests = Array.from({ length: count }, guest);
  for (const one of guests) enter(gate, one);
  return { clock, gate, guests };
}

describe('the socket limit', () => {
  it('lets 64 in, and the next as one leaves, in order', () => {
    const { gate, guests } = crowd(66);
    expect(guests.map(({ state }) => state === 'inside').indexOf(false)).toBe(64);
    leave(gate, guests[2]);
    expect(guests[64]?.state).toBe('inside');
    expect(guests[65]?.state).toBe('waiting');
  });

  it('doubles while no request completes, so that long calls do not block short ones', async () => {
    const { clock, guests } = crowd(300);
    expect(inside(guests)).toBe(64);
    await clock.advance(49);
    expect(inside(guests)).toBe(64);
    await clock.advance(1);
    expect(inside(guests)).toBe(128);
    await clock.advance(50);
    expect(inside(guests)).toBe(256);
    await clock.advance(50);
    expect(inside(guests)).toBe(300);
    expect(clock.pending).toBe(0);
  });

  it('doubles after 400 ms while others complete, and not before', async () => {
    const { clock, gate, guests } = crowd(300);
    for (let turn = 0; turn < 7; turn++) {
      leave(gate, guests[turn]);
      await clock.advance(50);
    }
    expect(inside(guests)).toBe(64 + 7);
    leave(gate, guests[7]);
    await clock.advance(50);
    expect(inside(guests)).toBe(128 + 8);
  });

  it('does not grow if an answer was there and not yet read, as after a long turn of the event loop', async () => {
    const { clock, gate, guests } = crowd(100);
    clock.schedule(() => leave(gate, guests[0]), 50);
    await clock.advance(50);
    expect(inside(guests)).toBe(64 + 1);
    expect(clock.nextIn).toBe(50);
  });

  it('never exceeds the maximum, which is 1024 by default', async () => {
    for (const max of [6, 100, undefined]) {
      const { clock, guests } = crowd(1_100, max);
      await clock.advance(10_000);
      expect(inside(guests)).toBe(max ?? 1024);
    }
  });

  it('falls back when the burst is over', async () => {
    const { clock, gate, guests } = crowd(200);
    await clock.advance(1000);
    for (const one of guests) gate.leave(one);
    const next = Array.from({ length: 66 }, guest);
    for (const one of next) enter(gate, one);
    expect(inside(next)).toBe(64);
  });

  it('lets one that gave up neither in nor stand in the way', async () => {
    const { clock, gate, guests } = crowd(66);
    leave(gate, guests[64]);
    leave(gate, guests[0]);
    expect(guests[64]?.state).toBe('waiting');
    expect(guests[65]?.state).toBe('inside');
    await clock.advance(1000);
    expect(clock.pending).toBe(0);
  });

  it('refuses who waits when it is closed, and who comes later', () => {
    const { clock, gate, guests } = crowd(65);
    gate.close();
    const late = guest();
    enter(gate, late);
    expect([guests[0]?.state, guests[64]?.state, late.state]).toEqual(['inside', 'refused', 'refused']);
    expect(clock.pending).toBe(0);
  });
});

describe('real sockets', () => {
  it('a burst of 500 calls shares them', async () => {
    await using server = await startHttp((_, response) => response.end('ok'));
    await using network = createHttpClient({ url: server.origin });
    const call = () => request(network, { url: new URL(server.origin), method: 'POST', body: '{}' });
    const replies = await Promise.all(Array.from({ length: 500 }, call));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(server.connections).toBeLessThan(500);
  });

  it('100 calls that last do not hold up a short one', async () => {
    const held: ServerResponse[] = [];
    await using server = await startHttp((request, response) => {
      if (request.url === '/long') held.push(response);
      else response.end('short');
    });
    await using network = createHttpClient({ url: server.origin });
    const call = (path: string) =>
      request(network, { url: new URL(path, server.origin), method: 'POST', body: '{}' });
    const long = Array.from({ length: 100 }, () => call('/long'));
    expect((await call('/short')).text()).toBe('short');
    // All of them got through, not only the first 64.
    while (held.length < 100) await new Promise((resolve) => setImmediate(resolve));
    for (const response of held) response.end('long');
    expect((await Promise.all(long)).map((reply) => reply.text())).toEqual(Array(100).fill('long'));
  });
});

describe('a crowd that changes all the time', () => {
  it('is let in in order, without those that have left, however many there were', () => {
    const { gate, guests } = crowd(6000);
    const leaving = guests.filter((_, index) => index >= 64 && index % 3 === 0);
    for (const one of leaving) gate.leave(one);
    const order: number[] = [];
    const staying = guests.filter((one) => !leaving.includes(one));
    for (const one of staying.slice(64)) one.start = () => order.push(guests.indexOf(one));
    for (const one of staying) gate.leave(one);
    expect(order).toEqual(staying.slice(64).map((one) => guests.indexOf(one)));
    expect(leaving.every(({ state }) => state === 'waiting')).toBe(true);
    const late = guest();
    enter(gate, late);
    expect(late.state).toBe('inside');
  });

  it('is not kept in memory by copies of what it was held in', () => {
    const { gate } = crowd(0);
    const heavy = (): Guest & { readonly body: readonly number[] } => ({
      ...guest(),
      body: Array.from({ length: 500 }, () => 0),
    });
    const present: Guest[] = [];
    const grown = grownAfterMinorCollections((collectYoung) => {
      for (let made = 0; made < 20_000; made++) {
        const one = heavy();
        enter(gate, one);
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
