import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenStoreSuite, type TokenStoreSuiteOptions } from '@mcp-fittings/testkit/token-store';
import { describe, expect, it, vi } from 'vitest';
import { MAX_VALUE_BYTES, openStore } from './support/reference-store.mjs';

/** Which cases notice which flaw. */
const FLAWS: Readonly<Record<string, readonly string[]>> = {
  'answers an empty object for nothing': [
    'returns undefined for an unknown key, and deletes it without an error',
    'keeps keys of any kind and length apart',
    'locks a key without a value, and does not create one',
  ],
  'does not delete': ['returns what was set, and undefined after it was deleted'],
  'cuts at NUL': ['returns what was set, and undefined after it was deleted'],
  merges: ['replaces the whole value, also a long one by a short one and back'],
  'cuts long values': ['keeps large values unchanged, in any script'],
  'hands out its own object': ['returns copies: changing an object does not change the stored value'],
  'copies with Object.assign': ['rejects a member named __proto__, or keeps it as a plain member'],
  'takes any value': [
    'rejects what is not a plain JSON object with a typed error, and keeps the old value',
    'passes the rejection of a write on to the work, and releases the lock',
  ],
  'forgets before it refuses': [
    'rejects what is not a plain JSON object with a typed error, and keeps the old value',
    'rejects a value above its limit with a typed error, and keeps the old value',
  ],
  'refuses for another reason': [
    'rejects what is not a plain JSON object with a typed error, and keeps the old value',
    'rejects a value above its limit with a typed error, and keeps the old value',
    'passes the rejection of a write on to the work, and releases the lock',
  ],
  'has no limit': ['rejects a value above its limit with a typed error, and keeps the old value'],
  'sanitizes keys': ['keeps keys of any kind and length apart'],
  'deletes too much': ['deletes only the given key'],
  'refuses an empty key': ['locks a key of any kind'],
  'writes in two steps': [
    'of many concurrent writes to one key, one wins as a whole',
    'write one key concurrently, and one wins as a whole',
  ],
  'one file for all': ['loses nothing when many keys are written concurrently'],
  'deletes before it writes': ['returns the old value or the new one, never a part'],
  'does not lock': [
    'admits one caller at a time: no update is lost',
    'blocks a second caller until the first one is done, but not callers of other keys',
  ],
  'waits after the work': [
    'admits one caller at a time: no update is lost',
    'blocks a second caller until the first one is done, but not callers of other keys',
  ],
  'swallows the result': ['resolves with what the work resolves with, under a signal that is not aborted'],
  'swallows errors': ['rejects with what the work rejects with or throws, and releases the lock'],
  'keeps the lock after an error': [
    'rejects with what the work rejects with or throws, and releases the lock',
    'passes the rejection of a write on to the work, and releases the lock',
  ],
  'makes what it locks': ['locks a key without a value, and does not create one'],
  'waits for the lock in set': ['does not block reads and writes outside of the lock'],
  'keeps a copy for itself': ['see what the other store has set, replaced and deleted'],
  'locks for itself only': [
    'exclude each other: no update is lost',
    'exclude each other: four processes and this one count, and no update is lost',
    'continue when the process that holds the lock is killed',
  ],
  'never takes over': [
    'continue when the process that holds the lock is killed',
    'acquire the lock of a suspended process, whose signal is aborted and whose late write is rejected',
  ],
  'never releases': ['find a complete value after a process was killed while writing'],
  'lets a loser write': [
    'acquire the lock of a suspended process, whose signal is aborted and whose late write is rejected',
  ],
  'keeps silent about a loss': [
    'acquire the lock of a suspended process, whose signal is aborted and whose late write is rejected',
  ],
};

vi.setConfig({ maxConcurrency: 10 });
const module = new URL('./support/reference-store.mjs', import.meta.url);

function suiteOf(flaw?: string, deadlineMs = 4000): TokenStoreSuiteOptions {
  return {
    name: 'reference',
    capabilities: { shared: true, processes: true, losesLocks: true, maxValueBytes: MAX_VALUE_BYTES },
    deadlineMs,
    async setup() {
      const directory = await mkdtemp(join(tmpdir(), 'reference-store-'));
      const argument = JSON.stringify({ directory, flaw });
      return {
        store: openStore(argument),
        sibling: openStore(argument),
        module: { module, argument },
        teardown: () => rm(directory, { recursive: true, force: true }),
      };
    },
  };
}

interface Case {
  readonly name: string;
  readonly run: () => Promise<void>;
}

function casesOf(options: TokenStoreSuiteOptions): readonly Case[] {
  const cases: Case[] = [];
  const runner = {
    describe: (_name: string, define: () => void) => define(),
    it: (name: string, run: () => Promise<void>) => void cases.push({ name, run }),
  };
  tokenStoreSuite(runner, options);
  return cases;
}

describe('a token store that keeps the contract', () => {
  tokenStoreSuite({ describe, it }, suiteOf(undefined, 20_000));
});

// At once, because most of them wait until the deadline; each has a directory of its own.
describe.concurrent('a broken token store fails the case that is about its flaw', () => {
  for (const [flaw, fails] of Object.entries(FLAWS)) {
    const cases = casesOf(suiteOf(flaw));
    for (const name of fails) {
      it(`${flaw}: ${name}`, async () => {
        const found = cases.find((candidate) => candidate.name === name);
        expect(found).toBeDefined();
        await expect(found?.run()).rejects.toThrow();
      });
    }
  }
});

it('has no case of a token store that no flaw can fail', () => {
  const failed = new Set(Object.values(FLAWS).flat());
  expect(
    casesOf(suiteOf())
      .map(({ name }) => name)
      .filter((name) => !failed.has(name)),
  ).toEqual([]);
});

it('defines the cases that a store in memory can have when nothing is declared', () => {
  const names = casesOf({ ...suiteOf(), capabilities: undefined }).map(({ name }) => name);
  expect(names).toContain('admits one caller at a time: no update is lost');
  expect(names.filter((name) => /other one|process|suspended|limit|killed/.test(name))).toEqual([]);
});
