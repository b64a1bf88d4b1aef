import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenStoreSuite, type TokenStoreSuiteOptions } from '@mcp-fittings/testkit/token-store';
import { describe, expect, it, vi } from 'vitest';
import { MAX_VALUE_BYTES, openStore } from './support/reference-store.mjs';

/** Which cases notice which flaw. */
const FLAWS: Readonly<Record<string, readonly string[]>> = {
  'answers an empty object for nothing': [
    'answers undefined for what was never set, and deletes it without complaint',
    'keeps keys of any kind and length apart',
    'guards a key with nothing stored under it, and leaves nothing there',
  ],
  'does not delete': ['gives back what was set, and nothing after it was deleted'],
  'cuts at NUL': ['gives back what was set, and nothing after it was deleted'],
  merges: ['replaces the whole value, also a long one by a short one and back'],
  'cuts long values': ['keeps large values unchanged, whatever letters they are made of'],
  'hands out its own object': ['hands out copies: nobody changes what is stored by changing an object'],
  'copies with Object.assign': ['refuses a member named __proto__, or keeps it a plain member'],
  'takes any value': [
    'refuses what is no plain JSON object with a typed error, and keeps the old value',
    'passes the refusal of a write on to the work, and is free again',
  ],
  'has no limit': ['refuses a value above its limit with a typed error, and keeps the old value'],
  'sanitises keys': ['keeps keys of any kind and length apart'],
  'deletes too much': ['deletes one key and no other'],
  'refuses an empty key': ['locks a key of any kind'],
  'writes in two steps': [
    'of many who write one key at once, one wins whole',
    'write one key at once, and one wins whole',
  ],
  'one file for all': ['loses nothing when many keys are written at once'],
  'deletes before it writes': ['shows a reader the old value or the new one, never less'],
  'does not lock': [
    'lets one caller in at a time: no update gets lost',
    'keeps the second caller out until the first one is done, and no caller of another key',
  ],
  'swallows the result': ['resolves with what the work resolves with, under a signal that is not aborted'],
  'swallows errors': ['rejects with what the work rejects with or throws, and is free again'],
  'keeps the lock after an error': [
    'rejects with what the work rejects with or throws, and is free again',
    'passes the refusal of a write on to the work, and is free again',
  ],
  'makes what it locks': ['guards a key with nothing stored under it, and leaves nothing there'],
  'waits for the lock in set': ['lets reads and writes pass that do not ask for the lock'],
  'keeps a copy for itself': ['see what the other one set, replaced and deleted'],
  'locks for itself only': [
    'exclude each other: no update gets lost',
    'exclude each other: four processes and this one count, and no update gets lost',
    'go on when the one that holds the lock is killed',
  ],
  'never takes over': [
    'go on when the one that holds the lock is killed',
    'take the lock over from one that is suspended; it hears so, and its late write is refused',
  ],
  'never releases': ['find a whole value after one was killed while it wrote'],
  'lets a loser write': [
    'take the lock over from one that is suspended; it hears so, and its late write is refused',
  ],
  'keeps silent about a loss': [
    'take the lock over from one that is suspended; it hears so, and its late write is refused',
  ],
};

vi.setConfig({ testTimeout: 60_000, maxConcurrency: 10 });
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
  expect(names).toContain('lets one caller in at a time: no update gets lost');
  expect(names.filter((name) => /other one|process|suspended|limit|killed/.test(name))).toEqual([]);
});
