import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostCache } from '@mcp-fittings/client-core';
import { createHost } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { identity, testHost } from './support/calculator.js';
import { testServers, type TestServer } from './support/in-process.js';
import { memoryCache, textCache } from './support/caches.js';

/** A server with one tool. */
function toy(): TestServer {
  const server = new McpServer({ name: 'server', version: '1.0.0' });
  server.registerTool('one', {}, () => ({ content: [] }));
  return { connect: (transport) => server.connect(transport as never) };
}

describe('a host whose cache knows the tools', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'warm-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('lists them all before it starts the first server, and the caller can use them', async () => {
    const entries = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`toy${n}`, { type: 'test' }]));
    const { plugin } = testServers(toy);
    const files = fileCache({ folder: join(folder, 'cache') });
    let asked = 0;
    const cache: HostCache = {
      ...files,
      // The lists of one server are there before those of another.
      async get(key) {
        if (!key.startsWith('lists')) return undefined;
        const value = await files.get(key);
        for (let turn = asked++; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
        return value;
      },
    };
    const options = { ...identity, transports: [plugin], cache };
    await using first = createHost(options);
    await first.connect(entries);
    await first.close();

    let seenByCaller = false;
    const starts: { readonly tools: number; readonly seenByCaller: boolean }[] = [];
    const observed: typeof plugin = {
      ...plugin,
      create(entry, deps) {
        const transport = plugin.create(entry, deps);
        const start = transport.start.bind(transport);
        transport.start = () => {
          starts.push({ tools: host.tools().length, seenByCaller });
          return start();
        };
        return transport;
      },
    };
    // The host stops waiting for a slow cache after a while, which does not pass here.
    const clock = createManualClock();
    await using host = createHost({ ...options, transports: [observed], clock });
    const connecting = host.connect(entries);
    asked = 0;
    while (host.tools().length < 20) await new Promise((resolve) => setImmediate(resolve));
    expect(host.servers().map(({ state }) => state.status)).not.toContain('connecting');
    seenByCaller = true;
    await connecting;
    expect(starts).toEqual(Array.from({ length: 20 }, () => ({ tools: 20, seenByCaller: true })));
    expect(host.statistics().connected).toBe(20);
  });

  it('are those of the last run, changes included', async () => {
    const cache = textCache();
    let description = 'as ever';
    const servers = testServers(() => {
      const server = new McpServer({ name: 'server', version: '1.0.0' });
      server.registerTool('one', { description }, () => ({ content: [] }));
      server.registerTool('two', {}, () => ({ content: [] }));
      return { connect: (transport) => server.connect(transport as never) };
    });
    const run = async (): Promise<void> => {
      const host = testHost([servers.plugin], { cache });
      await host.connect({ one: { type: 'test' } });
      expect(host.tools()[0]?.description).toBe(description);
      await host.close();
      expect([...cache.kept.values()].join()).toContain(`"${description}"`);
    };
    await run();
    description = 'new';
    await run();
  });

  it('writes lists again that could not be written', async () => {
    const errors: string[] = [];
    let fails = true;
    const memory = memoryCache();
    const cache: HostCache = {
      ...memory,
      async set(key, value) {
        if (fails) throw new Error('disk full');
        await memory.set(key, value);
      },
    };
    const servers = testServers(toy);
    await using host = testHost([servers.plugin], { cache });
    host.on('error', ({ error }) => errors.push(error.message));
    await host.connect({ one: { type: 'test' } });
    expect(errors.length).toBeGreaterThan(0);
    fails = false;
    await host.restart('one');
    await host.close();
    expect([...memory.kept.keys()].filter((key) => key.startsWith('lists'))).toHaveLength(1);
  });
});
