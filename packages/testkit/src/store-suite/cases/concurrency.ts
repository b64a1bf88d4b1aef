import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { allSettled } from '../concurrent-writes.js';
import type { StoreCaseGroup } from '../store-case.js';

const WRITERS = 20;
const LENGTH = 5000;

/** Told apart from every mixture of two. */
export function wholeValue(writer: number): { readonly writer: number; readonly text: string } {
  return { writer, text: String.fromCharCode(97 + writer).repeat(LENGTH + writer * 100) };
}

export const concurrencyCases: StoreCaseGroup = {
  name: 'concurrency',
  cases: [
    {
      name: 'of many concurrent writes to one key, one wins as a whole',
      async run({ store }) {
        await allSettled(
          Array.from({ length: WRITERS }, (_, writer) => store.set('key', wholeValue(writer))),
        );
        const stored = await store.get('key');
        const writer = stored?.['writer'];
        assert.ok(typeof writer === 'number', 'some value is there');
        assert.ok(stored?.['text'] === wholeValue(writer).text, 'and it is the whole value of one writer');
      },
    },
    {
      name: 'loses nothing when many keys are written concurrently',
      async run({ store }) {
        const all = Array.from({ length: WRITERS }, (_, writer) => writer);
        await allSettled(all.map((writer) => store.set(`key ${writer}`, { writer })));
        const stored = await allSettled(all.map((writer) => store.get(`key ${writer}`)));
        assert.deepEqual(
          stored,
          all.map((writer) => ({ writer })),
        );
      },
    },
    {
      name: 'returns the old value or the new one, never a part',
      async run({ store }) {
        await store.set('key', wholeValue(0));
        const writes = { done: false };
        const write = async (): Promise<void> => {
          for (let n = 1; n < WRITERS; n++) await store.set('key', wholeValue(n));
          writes.done = true;
        };
        const read = async (): Promise<void> => {
          while (!writes.done) {
            const stored = await store.get('key');
            const seen = stored?.['writer'];
            assert.ok(typeof seen === 'number', 'the value is never absent');
            assert.ok(stored?.['text'] === wholeValue(seen).text, 'the value is never a mixture');
            // A store in memory would otherwise never let timers run.
            await setImmediate();
          }
        };
        await allSettled([write(), read()]);
      },
    },
  ],
};
