/** One host that serves many people: `principal` of each call. The servers record whose token came with which call. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import type { HostCache, TokenStore } from '@mcp-fittings/client-core';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { encryptedFileStore, fileStore, memoryStore } from '@mcp-fittings/store-file';
import { keychainStore } from '@mcp-fittings/store-keychain';
import { memoryKeytar } from '../../../packages/store-keychain/test/support/memory-keytar.js';
import { expectNoCrossing, expectOwnServers } from './support/many-people.js';

function memoryCache(): HostCache {
  const kept = new Map<string, unknown>();
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  };
}

interface Shelf {
  readonly store: TokenStore;
  readonly cache: HostCache;
}
const inMemory = (): Shelf => ({ store: memoryStore(), cache: memoryCache() });
const shelves: readonly (readonly [string, (folder: string) => Shelf])[] = [
  ['memory', inMemory],
  [
    'files',
    (folder) => ({
      store: fileStore({ path: join(folder, 'tokens'), consent: () => true }),
      cache: fileCache({ folder: join(folder, 'cache') }),
    }),
  ],
  [
    'encrypted files',
    (folder) => ({
      store: encryptedFileStore({
        path: join(folder, 'tokens'),
        key: () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) }),
      }),
      cache: fileCache({ folder: join(folder, 'cache') }),
    }),
  ],
  [
    'a keychain',
    (folder) => ({
      store: keychainStore({
        driver: memoryKeytar(),
        lockDirectory: join(folder, 'locks'),
        chunkCharacters: 1200,
      }),
      cache: memoryCache(),
    }),
  ],
];

const wires = ['http', 'sse', 'ws'] as const;
const matrix = [
  ...shelves.map(([shelf, open]) => ({ wire: 'http' as const, shelf, open })),
  ...wires.slice(1).map((wire) => ({ wire, shelf: 'memory', open: inMemory })),
];

describe('fifty people on one host', () => {
  it.each(matrix)('no token crosses over $wire, with the store in $shelf', async ({ wire, open }) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'many-people-')));
    try {
      await expectNoCrossing(wire, open(folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.each(['stdio', 'inprocess'] as const)('each has a server of their own over %s', async (wire) => {
    await expectOwnServers(wire);
  });
});
