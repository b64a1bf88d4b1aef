/** One host that serves many people: `principal` of each call. The servers record whose token came with which call. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, vi } from 'vitest';
import type { HostCache, TokenStore } from '@mcp-fittings/client-core';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { sdk } from '@mcp-fittings/host/sdk';
import { sdk as sdkV2 } from '@mcp-fittings/host/sdk-v2';
import { fileStore, memoryStore } from '@mcp-fittings/store-file';
import { keychainStore } from '@mcp-fittings/store-keychain';
import { memoryKeytar } from '../../packages/store-keychain/test/support/memory-keytar.js';
import { expectNoCrossing, expectOwnServers } from './support/many-people.js';

// Fifty people, and in two cases fifty processes or thousands of flushes of the disk.
vi.setConfig({ testTimeout: 180_000 });

const identity = { name: 'tests', version: '1.0.0' };
const engines = [
  ['sdk', sdk(identity)],
  ['sdk-v2', sdkV2(identity)],
] as const;

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
const shelves: readonly (readonly [string, (folder: string) => Shelf])[] = [
  ['memory', () => ({ store: memoryStore(), cache: memoryCache() })],
  [
    'files',
    (folder) => ({
      store: fileStore({ path: join(folder, 'tokens'), consent: () => true }),
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

describe.each(engines)('issue 23: fifty people on one host, on %s', (_name, engine) => {
  it.each(shelves)('no token crosses over http, with the store in %s', async (_shelf, open) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'many-people-')));
    try {
      await expectNoCrossing('http', { engine, ...open(folder) });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.each(['sse', 'ws'] as const)('no token crosses over %s', async (wire) => {
    await expectNoCrossing(wire, { engine, store: memoryStore(), cache: memoryCache() });
  });

  it.each(['stdio', 'inprocess'] as const)('each has a server of their own over %s', async (wire) => {
    await expectOwnServers(wire, engine);
  });
});
