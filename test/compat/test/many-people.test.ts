/** One host that serves many people: `principal` of each call. The servers record whose token came with which call. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import type { HostCache, TokenStore } from '@mcp-fittings/client-core';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { fileStore, memoryStore } from '@mcp-fittings/store-file';
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
const inFiles = (folder: string): Shelf => ({
  store: fileStore({ path: join(folder, 'tokens'), consent: () => true }),
  cache: fileCache({ folder: join(folder, 'cache') }),
});

describe('eight people on one host', () => {
  it.each([
    ['http', 'memory', inMemory],
    ['http', 'files', inFiles],
    ['sse', 'memory', inMemory],
    ['ws', 'memory', inMemory],
  ] as const)('no token crosses over %s, with the store in %s', async (wire, _, open) => {
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
