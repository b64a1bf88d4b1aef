import assert from 'node:assert/strict';
import type { StoredValue } from '@mcp-fittings/client-core';
import { outcomeOf } from '../../transport-suite/deadline.js';
import { assertRefuses, type StoreCaseGroup } from '../store-case.js';

const VALUE: StoredValue = {
  accessToken: 'eyJhbGciOiJub25lIn0.e30.',
  expiresAt: 1_900_000_000_000,
  scopes: ['a b', ''],
  nothing: null,
  nested: { deep: [{ deeper: [false, -0.5, 1e21] }] },
  'odd texts': [
    'line\nline\r\n',
    'nul\u0000',
    'z\u00fcrich \u{1f511}',
    '\u202eright to left',
    '\u2028',
    '\ud800',
  ],
};

/** A token set of an Entra ID tenant with many groups is about as large. */
const LARGE_BYTES = 32 * 1024;

export const valueCases: StoreCaseGroup = {
  name: 'values',
  cases: [
    {
      name: 'returns undefined for an unknown key, and deletes it without an error',
      async run({ store }) {
        assert.equal(await store.get('never'), undefined);
        await store.delete('never');
        assert.equal(await store.get('never'), undefined);
      },
    },
    {
      name: 'returns what was set, and undefined after it was deleted',
      async run({ store }) {
        await store.set('key', VALUE);
        assert.deepEqual(await store.get('key'), VALUE);
        await store.delete('key');
        assert.equal(await store.get('key'), undefined);
      },
    },
    {
      name: 'replaces the whole value, also a long one by a short one and back',
      async run({ store }) {
        const long = { a: 'x'.repeat(LARGE_BYTES), only: 'long' };
        for (const value of [{ a: 1, b: 2 }, { b: 3 }, long, {}, long, { a: 'y' }]) {
          await store.set('key', value);
          assert.deepEqual(await store.get('key'), value);
        }
        await store.delete('key');
        assert.equal(await store.get('key'), undefined);
      },
    },
    {
      name: 'keeps large values unchanged, in any script',
      async run({ store }) {
        for (const unit of ['x', '\u00fc', '\u{1f511}', '"\\\n']) {
          const value = { text: unit.repeat(LARGE_BYTES / Buffer.byteLength(JSON.stringify(unit))) };
          await store.set('key', value);
          const stored = await store.get('key');
          // Not deepEqual: its message would print both.
          assert.ok(stored?.['text'] === value.text, `text made of ${JSON.stringify(unit)} is unchanged`);
        }
      },
    },
    {
      name: 'returns copies: changing an object does not change the stored value',
      async run({ store }) {
        const value = { list: ['a'] };
        await store.set('key', value);
        value.list.push('b');
        const first = await store.get('key');
        assert.deepEqual(first, { list: ['a'] });
        assert.ok(Array.isArray(first?.['list']));
        first['list'].push('c');
        assert.deepEqual(await store.get('key'), { list: ['a'] });
      },
    },
    {
      name: 'rejects a member named __proto__, or keeps it as a plain member',
      async run({ store }) {
        await store.set('key', { old: true });
        const value: StoredValue = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');
        const written = await outcomeOf(store.set('key', value));
        const stored = await store.get('key');
        assert.ok(stored !== undefined);
        if (written.ok) assert.ok(Object.hasOwn(stored, '__proto__'), 'the member is there');
        else assert.deepEqual(stored, { old: true });
        assert.equal(Object.getPrototypeOf(stored), Object.prototype, 'and is not the prototype');
        assert.equal(Reflect.get({}, 'polluted'), undefined);
      },
    },
    {
      name: 'rejects what is not a plain JSON object with a typed error, and keeps the old value',
      async run({ store }) {
        await store.set('key', { old: true });
        const cycle: Record<string, unknown> = {};
        cycle['self'] = cycle;
        const bad: readonly unknown[] = [cycle, { big: 1n }, [], 'text', null, { toJSON: () => 'text' }];
        for (const value of bad) {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers in JavaScript can pass anything
          const stored = store.set('key', value as StoredValue);
          await assertRefuses(stored, 'set() of a value that is not an object', 'STORE_VALUE_INVALID');
        }
        assert.deepEqual(await store.get('key'), { old: true });
      },
    },
    {
      name: 'rejects a value above its limit with a typed error, and keeps the old value',
      when: ({ maxValueBytes }) => maxValueBytes > 0,
      async run({ store, capabilities: { maxValueBytes } }) {
        const rest = Buffer.byteLength(JSON.stringify({ text: '' }));
        const largest = { text: 'x'.repeat(maxValueBytes - rest) };
        await store.set('key', largest);
        await assertRefuses(store.set('key', { text: `${largest.text}x` }), 'set()', 'STORE_VALUE_INVALID');
        assert.ok((await store.get('key'))?.['text'] === largest.text, 'the largest value is still there');
      },
    },
  ],
};
