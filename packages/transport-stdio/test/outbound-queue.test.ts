import type { RequestId } from '@mcp-fittings/client-core';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OutboundQueue } from '../src/wire/outbound-queue.js';

/** A pipe that takes nothing until it is told to, and remembers each write. */
function slowPipe(): {
  pipe: Writable;
  writes: string[];
  take: () => Promise<void>;
  breakIt: () => Promise<void>;
} {
  const writes: string[] = [];
  const callbacks: ((error?: Error) => void)[] = [];
  const pipe = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, callback) {
      writes.push(String(chunk));
      callbacks.push(callback);
    },
  });
  pipe.on('error', () => undefined);
  const settle = async (error?: Error): Promise<void> => {
    callbacks.shift()?.(error);
    await tick();
  };
  return { pipe, writes, take: () => settle(), breakIt: () => settle(new Error('EPIPE')) };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const unheard = { isPending: () => true, markSent: () => undefined, markUnsent: () => undefined };

function outcomes(sends: readonly (Promise<void> | undefined)[]): string[] {
  const states: string[] = sends.map((send) => (send === undefined ? 'refused' : 'waits'));
  for (const [index, send] of sends.entries()) {
    send?.then(
      () => (states[index] = 'taken'),
      (error: unknown) => (states[index] = String(error)),
    );
  }
  return states;
}

describe('messages on their way into a pipe', () => {
  it('joins what is sent in one turn into one write, in order', async () => {
    const { pipe, writes, take } = slowPipe();
    const queue = new OutboundQueue(1000, unheard);
    queue.attach(pipe);
    const states = outcomes(['a', 'b'].map((text) => queue.offer(text)));
    await Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => outcomes([queue.offer('c')]));
    expect(writes).toEqual([]);
    await tick();
    expect(writes).toEqual(['abc']);
    expect(states).toEqual(['waits', 'waits']);
    await take();
    expect(states).toEqual(['taken', 'taken']);
  });

  it('does not join without bound', async () => {
    const { pipe, writes, take } = slowPipe();
    const queue = new OutboundQueue(1e9, unheard);
    queue.attach(pipe);
    const half = 'x'.repeat(40_000);
    outcomes([queue.offer(half), queue.offer(half), queue.offer('y')]);
    await tick();
    await take();
    expect(writes).toEqual([half, `${half}y`]);
  });

  it('writes the first of many messages while the last are sent, in few writes and in order', async () => {
    const writes: string[] = [];
    const pipe = new Writable({
      highWaterMark: 1e6,
      decodeStrings: false,
      write(chunk, _encoding, callback) {
        writes.push(String(chunk));
        callback();
      },
    });
    const queue = new OutboundQueue(1e9, unheard);
    queue.attach(pipe);
    const texts = Array.from({ length: 1000 }, (_, index) => `${index};`);
    for (const text of texts.slice(0, 15)) void queue.offer(text);
    expect(writes).toEqual([]);
    for (const text of texts.slice(15, 64)) void queue.offer(text);
    expect(writes).toEqual([texts.slice(0, 16).join(''), texts.slice(16, 48).join('')]);
    for (const text of texts.slice(64)) void queue.offer(text);
    await tick();
    expect(writes.join('')).toBe(texts.join(''));
    expect(writes).toHaveLength(5);
    for (const text of texts.slice(0, 15)) void queue.offer(text);
    expect(writes).toHaveLength(5);
    await tick();
    expect(writes).toHaveLength(6);
  });

  it('writes nothing to a full pipe, and tells written messages from unwritten ones', async () => {
    const { pipe, writes, take } = slowPipe();
    const unsent = new Set<RequestId>();
    const queue = new OutboundQueue(1e9, {
      isPending: () => true,
      markSent: (id) => void unsent.delete(id),
      markUnsent: (id) => void unsent.add(id),
    });
    queue.attach(pipe);
    const large = 'x'.repeat(100_000);
    const states = outcomes([queue.offer(large, 1)]);
    expect([...unsent]).toEqual([1]);
    await tick();
    const more = outcomes([queue.offer('y', 2)]);
    await tick();
    expect(writes).toHaveLength(1);
    expect([...unsent]).toEqual([2]);
    await take();
    expect(states).toEqual(['taken']);
    expect(writes).toEqual([large, 'y']);
    expect([...unsent]).toEqual([]);
    await take();
    expect(more).toEqual(['taken']);
  });

  it('does not write a request that was given up while it waited', async () => {
    const { pipe, writes, take } = slowPipe();
    const queue = new OutboundQueue(1000, { ...unheard, isPending: (id) => id !== 1 });
    queue.attach(pipe);
    outcomes([queue.offer('a', 1), queue.offer('b', 2)]);
    await tick();
    await take();
    const alone = outcomes([queue.offer('a', 1)]);
    await tick();
    expect(alone).toEqual(['taken']);
    expect(writes).toEqual(['b']);
    // Nothing of it counts as waiting.
    expect(outcomes([queue.offer('c'.repeat(1000))])).toEqual(['waits']);
  });

  it('rejects a message without room, and accepts one of any size when the queue is empty', async () => {
    const { pipe, take } = slowPipe();
    const queue = new OutboundQueue(10, unheard);
    queue.attach(pipe);
    expect(outcomes([queue.offer('x'.repeat(50)), queue.offer('y')])).toEqual(['waits', 'refused']);
    await tick();
    expect(outcomes([queue.offer('y')])).toEqual(['refused']);
    await take();
    // Counted in bytes.
    expect(outcomes([queue.offer('ü'.repeat(4)), queue.offer('ab'), queue.offer('c')])).toEqual([
      'waits',
      'waits',
      'refused',
    ]);
  });

  it('waits until it is attached to a pipe', async () => {
    const { pipe, writes } = slowPipe();
    const queue = new OutboundQueue(1000, unheard);
    outcomes([queue.offer('a')]);
    await tick();
    outcomes([queue.offer('b')]);
    expect(writes).toEqual([]);
    queue.attach(pipe);
    expect(writes).toEqual(['ab']);
  });

  it('rejects what is left at the end, with the right delivery, and stops writing', async () => {
    const { pipe, writes, breakIt } = slowPipe();
    const queue = new OutboundQueue(1e9, unheard);
    queue.attach(pipe);
    const large = 'x'.repeat(100_000);
    const states = outcomes([queue.offer(large)]);
    await tick();
    const later = outcomes([queue.offer('y')]);
    await breakIt();
    expect([...states, ...later]).toEqual(['waits', 'waits']);
    queue.end((delivery) => new Error(delivery));
    expect(() => queue.offer('z')).toThrow('not-sent');
    await tick();
    expect([...states, ...later]).toEqual(['Error: unknown', 'Error: not-sent']);
    expect(writes).toEqual([large]);
  });
});
