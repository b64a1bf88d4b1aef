import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuthPlugin, HostCache } from '@mcp-fittings/client-core';
import { createHost, type HostOptions } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { http } from '@mcp-fittings/transport-http';
import { identity } from './support/calculator.js';
import { memoryCache } from './support/caches.js';
import { jsonRpcServer } from './support/json-rpc-server.js';

/** Values are text, and every command takes a while: like a cache of another process. */
function remoteCache(): HostCache {
  const kept = new Map<string, string>();
  const away = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));
  return {
    async get(key) {
      await away();
      return JSON.parse(kept.get(key) ?? 'null') as unknown;
    },
    async set(key, value) {
      const text = JSON.stringify(value);
      await away();
      kept.set(key, text);
    },
    async delete(key) {
      await away();
      kept.delete(key);
    },
  };
}

/** Signs requests as a person, by a token that is another one each time. */
function signedInAs(person: () => string | undefined, knowsIdentity = true): AuthPlugin {
  let tokens = 0;
  return {
    specVersion: 1,
    scheme: 'fake',
    create: () => ({
      headers: async (): Promise<Record<string, string>> =>
        person() === undefined ? {} : { authorization: `Bearer ${person()}.${++tokens}` },
      onChallenge: async () => 'retry',
      signIn: async () => undefined,
      signOut: async () => undefined,
      ...(knowsIdentity && { identity: async () => person() }),
    }),
  };
}

/** Lists one tool, named after the person whose token comes. */
const personal = (scopes: readonly (string | undefined)[] = [undefined]) =>
  jsonRpcServer({
    'tools/list': ({ params }, _response, { headers }) => {
      const person = /^Bearer (\w+)\./.exec(headers.authorization ?? '')?.[1] ?? 'anonymous';
      const page = Number(params['cursor'] ?? 0);
      const scope = scopes[page];
      return {
        tools: [{ name: `tool_of_${person}_${page}`, inputSchema: { type: 'object' } }],
        ...(scope !== undefined && { cacheScope: scope, ttlMs: 60_000 }),
        ...(page + 1 < scopes.length && { nextCursor: String(page + 1) }),
      };
    },
  });

const caches: readonly [string, (folder: string) => HostCache][] = [
  ['memory', memoryCache],
  ['files', (folder) => fileCache({ folder })],
  ['another process', remoteCache],
];

describe('persons who share a cache', () => {
  const base = (url: string, options: Partial<HostOptions>) => ({
    options: { ...identity, transports: [http()], ...options },
    entries: { one: { url } },
  });

  /** What a host that connects, or one that is lazy and does not, says of the tools. */
  async function tools(url: string, options: Partial<HostOptions>): Promise<readonly string[]> {
    const { options: all, entries } = base(url, options);
    const host = createHost(all);
    await host.connect(entries);
    const names = host.tools().map(({ name }) => name);
    await host.close();
    return names;
  }

  it.each(caches)(
    'see what was listed for themselves and not for each other, in %s',
    async (_cache, make) => {
      const folder = await mkdtemp(join(tmpdir(), 'persons-'));
      const cache = make(folder);
      await using server = await personal();
      const as = (person: string | undefined) => ({ cache, auth: [signedInAs(() => person)] });
      expect(await tools(server.url, as('ann'))).toEqual(['tool_of_ann_0']);
      expect(await tools(server.url, { ...as('bob'), lazy: true })).toEqual([]);
      expect(await tools(server.url, { ...as(undefined), lazy: true })).toEqual([]);
      expect(await tools(server.url, as('bob'))).toEqual(['tool_of_bob_0']);
      expect(await tools(server.url, { ...as('ann'), lazy: true })).toEqual(['tool_of_ann_0']);
      expect(await tools(server.url, { ...as('bob'), lazy: true })).toEqual(['tool_of_bob_0']);
      await rm(folder, { recursive: true });
    },
  );

  it.each([
    [['public'], true],
    [['public', 'public'], true],
    [['private'], false],
    [['public', 'private'], false],
    [['public', undefined], false],
    [['PUBLIC'], false],
  ] as const)('pages called %j are shared: %s', async (scopes, shared) => {
    const cache = memoryCache();
    await using server = await personal(scopes);
    const anns = await tools(server.url, { cache, auth: [signedInAs(() => 'ann')] });
    expect(anns).toHaveLength(scopes.length);
    expect(await tools(server.url, { cache, auth: [signedInAs(() => 'bob')], lazy: true })).toEqual(
      shared ? anns : [],
    );
  });

  it('a user whom the auth plugin does not identify is the principal of the host, or unknown', async () => {
    const cache = memoryCache();
    await using server = await personal();
    const as = (name: string, principal?: string) => ({
      cache,
      principal,
      auth: [signedInAs(() => name, false)],
    });
    await tools(server.url, as('ann'));
    expect([...cache.kept.keys()].filter((key) => key.startsWith('lists'))).toEqual([]);
    expect(await tools(server.url, { ...as('bob'), lazy: true })).toEqual([]);
    await tools(server.url, as('ann', 'account-1'));
    expect(await tools(server.url, { ...as('ann', 'account-1'), lazy: true })).toEqual(['tool_of_ann_0']);
    expect(await tools(server.url, { ...as('bob', 'account-2'), lazy: true })).toEqual([]);
    expect(await tools(server.url, { ...as('bob'), lazy: true })).toEqual([]);
  });

  it('neither keys nor values of the cache contain a token or a name', async () => {
    const cache = memoryCache();
    await using server = await personal();
    await tools(server.url, { cache, principal: 'account-1', auth: [signedInAs(() => 'ann')] });
    const keys = [...cache.kept.keys()].join(' ');
    expect(keys).toMatch(/^[\w:\- ]+$/);
    expect(keys).not.toMatch(/ann|account|Bearer/);
  });

  it('lists that were read before another user signed in are not cached for that user', async () => {
    let person: string | undefined = 'ann';
    const cache = memoryCache();
    let held: (() => void) | undefined;
    let holds = true;
    const slow: HostCache = {
      ...cache,
      async set(key, value) {
        if (holds && key.startsWith('lists')) {
          holds = false;
          await new Promise<void>((resolve) => (held = resolve));
        }
        await cache.set(key, value);
      },
    };
    await using server = await personal();
    const { options, entries } = base(server.url, { cache: slow, auth: [signedInAs(() => person)] });
    const host = createHost(options);
    await host.connect(entries);
    expect(host.tools()).toHaveLength(1);
    await host.signOut('one');
    expect(host.tools()).toEqual([]);
    person = 'bob';
    held?.();
    await host.signIn('one');
    expect(host.tools().map(({ name }) => name)).toEqual(['tool_of_bob_0']);
    await host.close();
    const as = (name: string) => ({ cache, auth: [signedInAs(() => name)], lazy: true });
    expect(await tools(server.url, as('bob'))).toEqual(['tool_of_bob_0']);
    expect(await tools(server.url, as('ann'))).not.toContain('tool_of_bob_0');
  });
});
