import assert from 'node:assert/strict';
import type { TokenStore } from '@mcp-fittings/client-core';
import { allSettled, increment } from '../concurrent-writes.js';
import type { StoreBench, StoreCaseGroup } from '../store-case.js';
import { wholeValue } from './concurrency.js';

const ROUNDS = 10;

function siblingOf({ fixture }: StoreBench): TokenStore {
  assert.ok(fixture.sibling !== undefined, '`shared` needs a fixture with `sibling`');
  return fixture.sibling;
}

export const sharingCases: StoreCaseGroup = {
  name: 'two stores on the same data',
  cases: [
    {
      name: 'see what the other store has set, replaced and deleted',
      when: ({ shared }) => shared,
      async run(bench) {
        const sibling = siblingOf(bench);
        assert.equal(await sibling.get('key'), undefined);
        await bench.store.set('key', { a: 1 });
        assert.deepEqual(await sibling.get('key'), { a: 1 });
        await sibling.set('key', { a: 2 });
        assert.deepEqual(await bench.store.get('key'), { a: 2 });
        await sibling.delete('key');
        assert.equal(await bench.store.get('key'), undefined);
      },
    },
    {
      name: 'write one key concurrently, and one wins as a whole',
      when: ({ shared }) => shared,
      async run(bench) {
        const stores = [bench.store, siblingOf(bench)];
        for (let round = 0; round < ROUNDS; round++) {
          await allSettled(stores.map((store, writer) => store.set('key', wholeValue(writer))));
          const stored = await bench.store.get('key');
          assert.ok(stored?.['writer'] === 0 || stored?.['writer'] === 1, 'some value is there');
          assert.ok(stored['text'] === wholeValue(stored['writer']).text, 'and it is a whole one');
        }
      },
    },
    {
      name: 'exclude each other: no update is lost',
      when: ({ shared }) => shared,
      async run(bench) {
        const stores = [bench.store, siblingOf(bench)];
        const all = Array.from({ length: ROUNDS }, () =>
          stores.map((store) => increment(store, 'key')),
        ).flat();
        await bench.within(allSettled(all), 'every caller gets the lock');
        assert.deepEqual(await bench.store.get('key'), { count: all.length });
      },
    },
  ],
};
