import assert from 'node:assert/strict';
import type { StoreCaseGroup } from '../store-case.js';

const HOSTILE_KEYS: readonly string[] = [
  '',
  ' ',
  'a',
  'A',
  'a\u0000',
  'a\u0000b',
  'a\nb',
  'a\r\nb',
  '/',
  '../a',
  'a/b',
  'a\\b',
  'C:a',
  'con',
  '.',
  '..',
  '~',
  '-rf',
  '%00',
  '$(id)',
  '__proto__',
  'constructor',
  'toString',
  '["a","bc"]',
  '["ab","c"]',
  'caf\u00e9',
  'cafe\u0301',
  '\u202etxt.exe',
  '\u05d0\u05d1',
  '\ud800',
  '\ud801',
  '\ufffd',
  'x'.repeat(10_240),
  `${'x'.repeat(10_240)}y`,
  'https://as.example/tenant?client=1#f',
];

export const keyCases: StoreCaseGroup = {
  name: 'keys',
  cases: [
    {
      name: 'keeps keys of any kind and length apart',
      async run({ store }) {
        for (const key of HOSTILE_KEYS) assert.equal(await store.get(key), undefined, JSON.stringify(key));
        for (const [index, key] of HOSTILE_KEYS.entries()) await store.set(key, { index });
        for (const [index, key] of HOSTILE_KEYS.entries()) {
          assert.deepEqual(await store.get(key), { index }, JSON.stringify(key.slice(0, 40)));
        }
      },
    },
    {
      name: 'deletes only the given key',
      async run({ store }) {
        const keys = ['key', 'key2', 'KEY', 'ke'];
        for (const key of keys) await store.set(key, { key });
        await store.delete('key');
        assert.equal(await store.get('key'), undefined);
        for (const key of keys.slice(1)) assert.deepEqual(await store.get(key), { key });
      },
    },
    {
      name: 'locks a key of any kind',
      async run({ store }) {
        for (const key of HOSTILE_KEYS) assert.equal(await store.withLock(key, async () => key), key);
      },
    },
  ],
};
