import { EventEmitter, once } from 'node:events';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../src/state/memory-state.js';
import { ReplicaLink } from '../../src/state/replica-link.js';

const patiently = { timeout: 20_000, interval: 5 };

describe('messages between replicas', () => {
  const setup = () => {
    const clock = createManualClock();
    const state = createMemoryState({ clock });
    const open = () => new ReplicaLink(state, clock);
    return { clock, one: open(), two: open(), open };
  };

  it('asks another replica, which sends notes before its answer', async () => {
    const { one, two } = setup();
    two.answer('double', async (body, { note }) => {
      expect(await Promise.all([note('half way'), note('nearly')])).toEqual([true, true]);
      return Number(body) * 2;
    });
    const notes: unknown[] = [];
    expect(await one.ask(two.id, 'double', 21, { onNote: (note) => notes.push(note) })).toBe(42);
    expect(notes).toEqual(['half way', 'nearly']);
  });

  it('a replica that has ended, ends, or forgot the question: unknown', async () => {
    const { clock, one, two, open } = setup();
    const lost = { code: 'CONNECTION_LOST', delivery: 'unknown' };
    await expect(one.ask('gone', 'any', 1)).rejects.toMatchObject(lost);
    await expect(one.ask(two.id, 'not answered by this version', 1)).rejects.toMatchObject(lost);
    const started = new EventEmitter();
    const hasStarted = once(started, 'started');
    two.answer('wait', (_, { signal }) => {
      started.emit('started');
      return new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const asked = one.ask(two.id, 'wait', 1);
    await hasStarted;
    const ended = expect(asked).rejects.toMatchObject(lost);
    await two.close();
    await clock.advance(2000);
    await ended;
    const three = open();
    const never = one.ask(three.id, 'wait', 1);
    const closed = expect(never).rejects.toMatchObject(lost);
    await one.close();
    await closed;
  });

  it('an asker that gives up aborts the work', async () => {
    const { one, two } = setup();
    const aborted: unknown[] = [];
    const started = new EventEmitter();
    const hasStarted = once(started, 'started');
    two.answer('wait', (_, { signal }) => {
      signal.addEventListener('abort', () => aborted.push('aborted'));
      started.emit('started');
      return new Promise(() => undefined);
    });
    const controller = new AbortController();
    const asked = one.ask(two.id, 'wait', 1, { signal: controller.signal });
    await hasStarted;
    controller.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect.poll(() => aborted, patiently).toEqual(['aborted']);
  });

  it('work ends when its asker has ended', async () => {
    const { one, two } = setup();
    const started = new EventEmitter();
    const hasStarted = once(started, 'started');
    const aborted = new Promise<void>((resolve) => {
      two.answer('wait', (_, { signal, note }) => {
        signal.addEventListener('abort', () => resolve());
        started.once('ended', () => void note('still there?'));
        started.emit('started');
        return new Promise(() => undefined);
      });
    });
    const asked = expect(one.ask(two.id, 'wait', 1)).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    await hasStarted;
    await one.close();
    await asked;
    started.emit('ended');
    await aborted;
  });

  it('cancels work again whose notes still arrive', async () => {
    const state = createMemoryState();
    const one = new ReplicaLink(state, createManualClock());
    const received: unknown[] = [];
    const other = state.join((message) => received.push(message));
    await other.send(one.id, { id: 'given up', type: 'note', body: 'still working' });
    await expect.poll(() => received, patiently).toEqual([{ id: 'given up', type: 'cancel' }]);
  });

  it('an announcement reaches all other replicas', async () => {
    const { one, two, open } = setup();
    const three = open();
    const heard: string[] = [];
    for (const [name, link] of Object.entries({ one, two, three })) {
      link.hear('news', (body) => heard.push(`${name} ${String(body)}`));
    }
    await one.announce('news', 'rain');
    await expect.poll(() => heard.length, patiently).toBe(2);
    expect(heard.toSorted()).toEqual(['three rain', 'two rain']);
  });
});
