import assert from 'node:assert/strict';
import { increment } from '../concurrent-writes.js';
import type { StoreBench, StoreCaseGroup } from '../store-case.js';
import { startStoreProcess, type StoreProcess, type StoreTask } from '../store-process.js';

const PROCESSES = 4;
const INCREMENTS = 25;

export const processCases: StoreCaseGroup = {
  name: 'several processes on the same data',
  cases: [
    {
      name: 'exclude each other: four processes and this one count, and no update is lost',
      when: ({ processes }) => processes,
      async run(bench) {
        const { store } = bench;
        const count: StoreTask = ['count', 'key', String(INCREMENTS)];
        await withProcesses(
          bench,
          Array.from({ length: PROCESSES }, () => count),
          async (others) => {
            await bench.within(
              Promise.all(others.map((other) => other.heard('ready'))),
              'the processes start',
            );
            for (const other of others) other.begin();
            for (let n = 0; n < INCREMENTS; n++) {
              await bench.within(increment(store, 'key'), 'this process gets the lock in between');
            }
            await Promise.all(others.map((other) => other.ended()));
          },
        );
        assert.deepEqual(await store.get('key'), { count: (PROCESSES + 1) * INCREMENTS });
      },
    },
    {
      name: 'continue when the process that holds the lock is killed',
      when: ({ processes }) => processes,
      async run(bench) {
        await withProcesses(bench, [['hold', 'key']], async ([holder]) => {
          await bench.within(holder.heard('holding'), 'the other process gets the lock');
          const waiting = increment(bench.store, 'key');
          assert.ok(await bench.staysPending(waiting), 'the lock is taken');
          holder.signal('SIGKILL');
          await bench.within(waiting, 'the lock of a dead process is acquired');
        });
        assert.deepEqual(await bench.store.get('key'), { count: 1 });
      },
    },
    {
      name: 'find a complete value after a process was killed while writing',
      when: ({ processes }) => processes,
      async run(bench) {
        await withProcesses(bench, [['count', 'key', '1000000']], async ([writer]) => {
          await bench.within(writer.heard('ready'), 'the other process starts');
          writer.begin();
          const counted = async (): Promise<number> => Number((await bench.store.get('key'))?.['count'] ?? 0);
          while ((await counted()) < INCREMENTS) {
            await bench.within(increment(bench.store, 'key'), 'this process gets the lock in between');
          }
          writer.signal('SIGKILL');
        });
        const count = (await bench.store.get('key'))?.['count'];
        assert.ok(typeof count === 'number' && count >= INCREMENTS, 'the value is whole');
        await bench.within(increment(bench.store, 'key'), 'the lock is acquired');
        assert.deepEqual(await bench.store.get('key'), { count: count + 1 });
      },
    },
    {
      name: 'acquire the lock of a suspended process, whose signal is aborted and whose late write is rejected',
      when: ({ losesLocks }) => losesLocks,
      async run(bench) {
        await withProcesses(bench, [['hold', 'key']], async ([holder]) => {
          await bench.within(holder.heard('holding'), 'the other process gets the lock');
          holder.signal('SIGSTOP');
          await bench.within(
            bench.store.withLock('key', async () => {
              await bench.store.set('key', { by: 'winner' });
              holder.signal('SIGCONT');
              const code = await bench.within(holder.heard('lost'), 'the signal of the holder is aborted');
              assert.equal(code, 'STORE_LOCK_LOST', 'its late write is refused');
            }),
            'the lock is acquired',
          );
        });
        assert.deepEqual(await bench.store.get('key'), { by: 'winner' });
      },
    },
  ],
};

/** Runs with one process for each task, none of which outlives it. */
async function withProcesses<const Tasks extends readonly StoreTask[]>(
  { fixture }: StoreBench,
  tasks: Tasks,
  run: (processes: { readonly [Index in keyof Tasks]: StoreProcess }) => Promise<void>,
): Promise<void> {
  const { module } = fixture;
  assert.ok(module !== undefined, '`processes` needs a fixture with `module`');
  const processes = tasks.map((task) => startStoreProcess(module, task));
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- map() keeps the length, which its type does not say
    await run(processes as { readonly [Index in keyof Tasks]: StoreProcess });
  } finally {
    await Promise.all(processes.map((process) => process[Symbol.asyncDispose]()));
  }
}
