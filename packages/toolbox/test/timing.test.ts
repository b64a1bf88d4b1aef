import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  abortable,
  aborted,
  linkSignal,
  settlesWithin,
  sleep,
  withTimeout,
} from '@mcp-fittings/toolbox/timing';
import { manualClock } from './support/manual-clock.js';

const stateOf = (promise: Promise<unknown>): Promise<string> =>
  Promise.race([
    promise.then(
      () => 'resolved',
      () => 'rejected',
    ),
    new Promise<string>((resolve) => setImmediate(resolve, 'pending')),
  ]);

const listenersOn = (signal: AbortSignal) => (): number => getEventListeners(signal, 'abort').length;

describe('sleep', () => {
  it('resolves when its time has passed on the clock', async () => {
    const clock = manualClock();
    const slept = sleep(100, { clock });
    clock.pass(99);
    expect(await stateOf(slept)).toBe('pending');
    clock.pass(1);
    await slept;
  });

  it('rejects with the reason of its signal, and leaves neither timer nor listener', async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const listeners = listenersOn(controller.signal);
    const slept = sleep(100, { clock, signal: controller.signal });
    controller.abort('enough');
    await expect(slept).rejects.toBe('enough');
    expect(clock.timers).toBe(0);
    const second = manualClock();
    const other = new AbortController();
    const left = listenersOn(other.signal);
    const done = sleep(1, { clock: second, signal: other.signal });
    second.pass(1);
    await done;
    expect(left()).toBe(0);
    expect(listeners()).toBe(0);
  });

  it('does not start a timer on a signal that is aborted already', async () => {
    const clock = manualClock();
    await expect(sleep(100, { clock, signal: AbortSignal.abort('before') })).rejects.toBe('before');
    expect(clock.timers).toBe(0);
  });
});

describe('abortable', () => {
  it('settles as the work does, without a listener left on the signal', async () => {
    const controller = new AbortController();
    const listeners = listenersOn(controller.signal);
    expect(await abortable(Promise.resolve(1), controller.signal)).toBe(1);
    await expect(abortable(Promise.reject(new Error('broken')), controller.signal)).rejects.toThrow('broken');
    expect(listeners()).toBe(0);
    expect(await abortable(2, undefined)).toBe(2);
  });

  it('rejects with the reason of the signal, and swallows what the work rejects with later', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    try {
      const late = deferred();
      const controller = new AbortController();
      const work = abortable(late.promise, controller.signal);
      controller.abort('enough');
      await expect(work).rejects.toBe('enough');
      const before = deferred();
      await expect(abortable(before.promise, AbortSignal.abort('already'))).rejects.toBe('already');
      late.reject(new Error('late'));
      before.reject(new Error('late'));
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listener);
    }
  });
});

describe('linkSignal', () => {
  it('follows its parent with the same reason, until it is disposed of', () => {
    const parent = new AbortController();
    const listeners = listenersOn(parent.signal);
    const first = linkSignal(parent.signal);
    const second = linkSignal(parent.signal);
    second[Symbol.dispose]();
    parent.abort('over');
    expect(first.signal.reason).toBe('over');
    expect(second.signal.aborted).toBe(false);
    expect(linkSignal(parent.signal).signal.reason).toBe('over');
    expect(listeners()).toBe(0);
  });

  it('is aborted by itself without its parent', () => {
    const parent = new AbortController();
    using link = linkSignal(parent.signal);
    link.abort('mine');
    expect(link.signal.reason).toBe('mine');
    expect(parent.signal.aborted).toBe(false);
  });
});

describe('withTimeout', () => {
  const late = (): Error => new Error('too late');

  it('gives what the work gives, and leaves no timer', async () => {
    const clock = manualClock();
    expect(await withTimeout({ ms: 100, error: late, clock }, () => Promise.resolve(1))).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it('rejects when the time is over, whether or not the work heeds its signal', async () => {
    const clock = manualClock();
    let seen: AbortSignal | undefined;
    const work = withTimeout({ ms: 100, error: late, clock }, (signal) => {
      seen = signal;
      return new Promise<never>(() => undefined);
    });
    clock.pass(100);
    await expect(work).rejects.toThrow('too late');
    expect(seen?.reason).toMatchObject({ message: 'too late' });
  });

  it('rejects with the reason of an outer signal', async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const work = withTimeout(
      { ms: 100, error: late, clock, signal: controller.signal },
      () => new Promise<never>(() => undefined),
    );
    controller.abort('outside');
    await expect(work).rejects.toBe('outside');
    expect(clock.timers).toBe(0);
  });

  it('does not run the work when the outer signal is aborted already', async () => {
    let ran = false;
    const signal = AbortSignal.abort('before');
    const work = withTimeout({ ms: 0, error: late, signal }, () => {
      ran = true;
    });
    await expect(work).rejects.toBe('before');
    expect(ran).toBe(false);
  });

  it('never times out with 0', async () => {
    const clock = manualClock();
    const work = withTimeout({ ms: 0, error: late, clock }, () => Promise.resolve('done'));
    expect(clock.timers).toBe(0);
    expect(await work).toBe('done');
  });
});

function deferred(): { readonly promise: Promise<never>; reject(error: Error): void } {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  return { promise, reject };
}

describe('abortable() with an error of its own', () => {
  it('rejects with it instead of the reason, once the signal is aborted', async () => {
    const controller = new AbortController();
    const given = new Error('given up');
    const waiting = abortable(new Promise(() => undefined), controller.signal, () => given);
    controller.abort(new Error('reason'));
    await expect(waiting).rejects.toBe(given);
    await expect(abortable(1, controller.signal, () => given)).rejects.toBe(given);
    expect(listenersOn(controller.signal)()).toBe(0);
  });

  it('makes none where the work settles first', async () => {
    const { signal } = new AbortController();
    let made = 0;
    expect(await abortable(Promise.resolve(1), signal, () => made++)).toBe(1);
    expect(made).toBe(0);
  });
});

describe('settlesWithin()', () => {
  it('says whether the work settled, and leaves no timer', async () => {
    const clock = manualClock();
    expect(await settlesWithin(0, Promise.resolve(), clock)).toBe(true);
    expect(await settlesWithin(10, Promise.reject(new Error('failed')), clock)).toBe(true);
    expect(clock.timers).toBe(0);
    const late = settlesWithin(10, new Promise(() => undefined), clock);
    clock.pass(9);
    expect(await stateOf(late)).toBe('pending');
    clock.pass(1);
    expect(await late).toBe(false);
    expect(clock.timers).toBe(0);
  });
});

describe('aborted()', () => {
  it('resolves as soon as the signal is aborted, and leaves no listener', async () => {
    const controller = new AbortController();
    const waiting = aborted(controller.signal);
    expect(await stateOf(waiting)).toBe('pending');
    controller.abort();
    await waiting;
    await aborted(controller.signal);
    expect(listenersOn(controller.signal)()).toBe(0);
  });
});
