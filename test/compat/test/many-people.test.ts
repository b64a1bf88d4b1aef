/** One host that serves many people: `principal` of each call. The servers record whose token came with which call. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { expectNoCrossing, expectOwnServers, inFiles, inMemory } from './support/many-people.js';

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
