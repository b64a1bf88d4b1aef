import assert from 'node:assert/strict';
import { allSettled, increment } from '../concurrent-writes.js';
import { assertRefuses, type StoreCaseGroup } from '../store-case.js';
import { outcomeOf } from '../../transport-suite/deadline.js';

const CALLERS = 25;

export const lockCases: StoreCaseGroup = {
  name: 'locks',
  cases: [
    {
      name: 'admits one caller at a time: no update is lost',
      async run(bench) {
        const { store } = bench;
        await bench.within(
          allSettled(Array.from({ length: CALLERS }, () => increment(store, 'key'))),
          'every caller gets the lock',
        );
        assert.deepEqual(await store.get('key'), { count: CALLERS });
      },
    },
    {
      name: 'resolves with what the work resolves with, under a signal that is not aborted',
      async run({ store }) {
        const result = await store.withLock('key', async (signal) => {
          await store.set('key', { a: 1 });
          return { aborted: signal.aborted, stored: await store.get('key') };
        });
        assert.deepEqual(result, { aborted: false, stored: { a: 1 } });
      },
    },
    {
      name: 'rejects with what the work rejects with or throws, and releases the lock',
      async run(bench) {
        const { store } = bench;
        const failure = new Error('the work failed');
        const rejected = await outcomeOf(store.withLock('key', () => Promise.reject(failure)));
        assert.deepEqual(rejected, { ok: false, error: failure });
        const throwing = store.withLock('key', () => {
          throw failure;
        });
        const thrown = await bench.within(outcomeOf(throwing), 'the lock is free after a rejection');
        assert.deepEqual(thrown, { ok: false, error: failure });
        assert.equal(
          await bench.within(
            store.withLock('key', async () => 'free'),
            'the lock is free',
          ),
          'free',
        );
      },
    },
    {
      name: 'blocks a second caller until the first one is done, but not callers of other keys',
      async run(bench) {
        const { store } = bench;
        let finish = (): void => undefined;
        const work = new Promise<void>((resolve) => {
          finish = resolve;
        });
        let arrive = (): void => undefined;
        const arrived = new Promise<void>((resolve) => {
          arrive = resolve;
        });
        const entered: string[] = [];
        const enter = (name: string, key: string): Promise<void> =>
          store.withLock(key, async () => {
            entered.push(name);
          });
        const first = store.withLock('key', async () => {
          arrive();
          await work;
          entered.push('first');
        });
        try {
          await bench.within(arrived, 'the first caller gets the lock');
          const second = enter('second', 'key');
          await bench.within(enter('other', 'other key'), 'the lock of another key is free');
          assert.ok(await bench.staysPending(second), 'the second caller waits');
          finish();
          await bench.within(allSettled([first, second]), 'both are done');
          assert.deepEqual(entered, ['other', 'first', 'second']);
        } finally {
          // Or a store that fails here would hold its lock for ever.
          finish();
        }
      },
    },
    {
      name: 'locks a key without a value, and does not create one',
      async run({ store }) {
        await store.withLock('key', async () => undefined);
        assert.equal(await store.get('key'), undefined);
      },
    },
    {
      name: 'does not block reads and writes outside of the lock',
      async run(bench) {
        const { store } = bench;
        await store.withLock('key', async () => {
          await bench.within(store.set('key', { a: 1 }), 'set() does not wait for the lock');
          await bench.within(store.set('other key', { a: 1 }), 'set() of another key does not wait');
          assert.deepEqual(await bench.within(store.get('key'), 'get() does not wait for the lock'), {
            a: 1,
          });
          await bench.within(store.delete('key'), 'delete() does not wait for the lock');
        });
      },
    },
    {
      name: 'passes the rejection of a write on to the work, and releases the lock',
      async run(bench) {
        const { store } = bench;
        const writing = store.withLock('key', () => store.set('key', { big: 1n }));
        await assertRefuses(writing, 'the work', 'STORE_VALUE_INVALID');
        await bench.within(increment(store, 'key'), 'the lock is free');
      },
    },
  ],
};
