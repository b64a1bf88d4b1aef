import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuthPlugin, HostCache } from '@mcp-fittings/client-core';
import type { Host, HostOptions } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { http } from '@mcp-fittings/transport-http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { testHost } from './support/calculator.js';
import { textCache } from './support/caches.js';
import { testServers } from './support/in-process.js';
import { jsonRpcServer } from './support/json-rpc-server.js';
import { scripted } from './support/scripted.js';

interface Hint {
  readonly ttlMs?: unknown;
  readonly cacheScope?: string;
  readonly _meta?: object;
}

/** A stateless server whose resources say how often they were read, and for whom. */
async function stateless(hint: Hint, listHint: Hint = { ttlMs: 0, cacheScope: 'private' }) {
  const reads: string[] = [];
  let lists = 0;
  const meta = { ttlMs: 0, cacheScope: 'private', resultType: 'complete' };
  const server = await jsonRpcServer({
    'server/discover': () => ({
      ...meta,
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'reads', version: '1.0.0' },
    }),
    'tools/list': () => ({
      ...meta,
      ...listHint,
      tools: [{ name: `listed_${Math.min(++lists, 2)}`, inputSchema: { type: 'object' } }],
    }),
    'resources/list': () => ({ ...meta, ...listHint, resources: [] }),
    'resources/templates/list': () => ({ ...meta, ...listHint, resourceTemplates: [] }),
    'resources/read'({ params }, _response, { headers }) {
      const { uri, requestState } = params;
      if (uri === 'test://asks' && requestState === undefined)
        return { resultType: 'input_required', requestState: 'again' };
      reads.push(`${String(uri)} for ${headers.authorization ?? 'all'}`);
      return { resultType: 'complete', ...hint, contents: [{ uri, text: `read ${reads.length}` }] };
    },
  });
  return Object.assign(server, { reads });
}

/** Parts of the result of `stateless` besides the elements of `wide`. */
const OTHER_PARTS = 11;
const wide = (length: number): object => ({ list: Array.from({ length }, () => 1) });
const nested = (levels: number): object => ({ a: levels === 1 ? 1 : nested(levels - 1) });

/** Signs requests as the person of the call. */
const personal: AuthPlugin = {
  specVersion: 1,
  scheme: 'fake',
  separatesPrincipals: true,
  create: ({ principal = 'host' }) => ({
    headers: async () => ({ authorization: principal }),
    onChallenge: async () => 'retry',
  }),
};

/** A cache, and what resolves when everything that the host writes in the background is written. */
function observed(cache: HostCache): { cache: HostCache; written: () => Promise<unknown> } {
  const writes: Promise<void>[] = [];
  const set: HostCache['set'] = (key, value) => {
    const write = cache.set(key, value);
    writes.push(write);
    return write;
  };
  return {
    cache: { get: (key) => cache.get(key), set, delete: (key) => cache.delete(key) },
    written: () => Promise.all(writes),
  };
}

describe('resources/read of a stateless server', () => {
  const hostOf = (options: Partial<HostOptions> = {}) => testHost([http()], { auth: [personal], ...options });
  const textOf = async (
    host: Host,
    options: Parameters<typeof host.readResource>[1] = {},
    uri = 'test://a',
  ): Promise<string | undefined> =>
    (await host.readResource({ server: 'one', uri }, options)).contents[0]?.text;

  it('is answered from memory while it is fresh, for one URI and without a context of the call', async () => {
    const clock = createManualClock();
    await using server = await stateless({ ttlMs: 1000, cacheScope: 'private' });
    await using host = hostOf({ clock });
    await host.connect({ one: { url: server.url } });
    expect(await textOf(host)).toBe('read 1');
    const { contents } = await host.readResource({ server: 'one', uri: 'test://a' });
    // A caller who changes its result does not change that of the next one.
    Object.assign(contents[0] ?? {}, { text: 'changed' });
    expect(await textOf(host)).toBe('read 1');
    expect(await textOf(host, {}, 'test://b')).toBe('read 2');
    expect(await textOf(host, { meta: { 'com.example/a': 1 } })).toBe('read 3');
    expect(await textOf(host, { headers: { 'x-a': '1' } })).toBe('read 4');
    expect(await textOf(host, { fresh: true })).toBe('read 5');
    expect(await textOf(host)).toBe('read 5');
    await clock.advance(1001);
    expect(await textOf(host)).toBe('read 6');
  });

  it.each([
    ['50 levels', nested(49), true],
    ['51 levels', nested(50), false],
    ['10 000 parts', wide(10_000 - OTHER_PARTS), true],
    ['10 001 parts', wide(10_001 - OTHER_PARTS), false],
  ])('is kept within the bounds of a result: %s', async (_, _meta, isKept) => {
    await using server = await stateless({ ttlMs: 1000, cacheScope: 'private', _meta });
    await using host = hostOf({ clock: createManualClock() });
    await host.connect({ one: { url: server.url } });
    expect([await textOf(host), await textOf(host)]).toEqual(['read 1', isKept ? 'read 1' : 'read 2']);
  });

  it.each([[0], [-5], ['1000'], [undefined], [Number.MAX_VALUE]])(
    'a ttlMs of %s does not last longer than a day',
    async (ttlMs) => {
      const clock = createManualClock();
      await using server = await stateless({ ttlMs, cacheScope: 'public' });
      await using host = hostOf({ clock, cache: textCache() });
      await host.connect({ one: { url: server.url } });
      await textOf(host);
      await clock.advance(86_400_001);
      expect(await textOf(host)).toBe('read 2');
      if (ttlMs !== Number.MAX_VALUE) expect(await textOf(host)).toBe('read 3');
    },
  );

  it.each([
    ['private', 2],
    ['of a scope that is not known', 2],
    ['public', 1],
  ])('what is %s is read for %i people', async (scope, expected) => {
    const folder = await mkdtemp(join(tmpdir(), 'reads-'));
    try {
      for (const store of [textCache(), fileCache({ folder: join(folder, 'cache') })]) {
        const { cache, written } = observed(store);
        await using server = await stateless({ ttlMs: 60_000, cacheScope: scope });
        await using host = hostOf({ cache, lazy: true });
        await host.connect({ one: { url: server.url } });
        for (const principal of ['ann', 'bob', 'ann', 'bob']) {
          await host.start('one', { principal });
          const text = await textOf(host, { principal });
          expect(text).toBe(scope === 'public' || principal === 'ann' ? 'read 1' : 'read 2');
          await written();
        }
        expect(server.reads).toHaveLength(expected);
        // Another run.
        await using again = hostOf({ cache, lazy: true });
        await again.connect({ one: { url: server.url } });
        await again.start('one', { principal: 'eve' });
        await textOf(again, { principal: 'eve' });
        expect(server.reads).toHaveLength(scope === 'public' ? 1 : 3);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is not kept if the server asked for something first', async () => {
    await using server = await stateless({ ttlMs: 60_000, cacheScope: 'public' });
    await using host = hostOf({ cache: textCache() });
    await host.connect({ one: { url: server.url } });
    expect(await textOf(host, {}, 'test://asks')).toBe('read 1');
    expect(await textOf(host, {}, 'test://asks')).toBe('read 2');
  });

  it('is forgotten with the sign-out and with the connection', async () => {
    await using server = await stateless({ ttlMs: 60_000, cacheScope: 'private' });
    await using host = hostOf();
    await host.connect({ one: { url: server.url } });
    expect(await textOf(host)).toBe('read 1');
    await host.signOut('one');
    await host.start('one');
    expect(await textOf(host)).toBe('read 2');
    await host.restart('one');
    expect(await textOf(host)).toBe('read 3');
  });

  it('lists of the cache are not used after their time', async () => {
    const clock = createManualClock();
    const cache = textCache();
    await using server = await stateless({}, { ttlMs: 1000, cacheScope: 'public' });
    const names = async (): Promise<readonly string[]> => {
      await using host = hostOf({ clock, cache, lazy: true });
      await host.connect({ one: { url: server.url } });
      return host.tools().map(({ name }) => name);
    };
    {
      await using host = hostOf({ clock, cache });
      await host.connect({ one: { url: server.url } });
    }
    expect(await names()).toEqual(['listed_1']);
    await clock.advance(1001);
    expect(await names()).toEqual([]);
    // The same list twice: it is fresh for longer.
    for (const _ of [1, 2]) {
      await using host = hostOf({ clock, cache });
      await host.connect({ one: { url: server.url } });
      await clock.advance(600);
    }
    expect(await names()).toEqual(['listed_2']);
  });
});

describe('resources/read that has a time to live', () => {
  it('is read again after the server has reported a change', async () => {
    let reads = 0;
    let mcp: McpServer | undefined;
    const servers = testServers(() => {
      const server = new McpServer(
        { name: 'notes', version: '1.0.0' },
        { capabilities: { resources: { subscribe: true, listChanged: true } } },
      );
      server.registerResource('a', 'test://a', {}, () => ({
        ttlMs: 60_000,
        contents: [{ uri: 'test://a', text: `read ${++reads}` }],
      }));
      server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
      mcp = server;
      return { connect: (transport) => server.connect(transport as Parameters<typeof server.connect>[0]) };
    });
    await using host = testHost([servers.plugin]);
    await host.connect({ one: { type: 'test' } });
    const ref = { server: 'one', uri: 'test://a' };
    const text = async (): Promise<string | undefined> => (await host.readResource(ref)).contents[0]?.text;
    const happened = (event: 'resourceUpdated' | 'catalog') =>
      new Promise<void>((resolve) => void host.on(event, () => resolve()));
    await host.subscribe(ref);
    expect([await text(), await text()]).toEqual(['read 1', 'read 1']);
    const updated = happened('resourceUpdated');
    await mcp?.server.sendResourceUpdated({ uri: 'test://a' });
    await updated;
    expect([await text(), await text()]).toEqual(['read 2', 'read 2']);
    const listed = happened('catalog');
    mcp?.sendResourceListChanged();
    await listed;
    expect([await text(), await text()]).toEqual(['read 3', 'read 3']);
  });

  it('is read again after a report that was dropped, because the server had sent too many', async () => {
    let reads = 0;
    const server = scripted(
      {
        'resources/read': ({ uri }) => ({ ttlMs: 60_000, contents: [{ uri, text: `read ${++reads}` }] }),
        'resources/subscribe': () => ({}),
      },
      { tools: {}, resources: { subscribe: true } },
    );
    await using host = testHost([testServers(() => server).plugin], {
      clock: createManualClock({ now: 1_000_000 }),
      limits: { eventsPerSecond: 2 },
    });
    await host.connect({ one: { type: 'test' } });
    const ref = { server: 'one', uri: 'test://a' };
    const text = async (): Promise<string | undefined> => (await host.readResource(ref)).contents[0]?.text;
    await host.subscribe(ref);
    expect([await text(), await text()]).toEqual(['read 1', 'read 1']);
    const flooded = new Promise<void>((resolve) => void host.on('error', () => resolve()));
    for (const uri of ['test://b', 'test://c', ref.uri])
      await server.notify('notifications/resources/updated', { uri });
    await flooded;
    expect([await text(), await text()]).toEqual(['read 2', 'read 2']);
  });
});
