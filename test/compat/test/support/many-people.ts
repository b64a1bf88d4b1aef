import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { oauth } from '@mcp-fittings/auth-oauth';
import type { HostCache, ServerConfig, TokenStore } from '@mcp-fittings/client-core';
import { createHost, type Host } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { fileStore, memoryStore } from '@mcp-fittings/store-file';
import { createToolPolicy, createTools } from '@mcp-fittings/tools';
import { http } from '@mcp-fittings/transport-http';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { startPeopleServers } from './people-servers.js';

export const PEOPLE: readonly string[] = Array.from({ length: 8 }, (_, index) => `person${index}`);
const ROUNDS = 3;

/** Where a host keeps what it knows of people. */
export interface Shelf {
  readonly store: TokenStore;
  readonly cache: HostCache;
}

function memoryCache(): HostCache {
  const kept = new Map<string, unknown>();
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  };
}

export const inMemory = (): Shelf => ({ store: memoryStore(), cache: memoryCache() });
export const inFiles = (folder: string): Shelf => ({
  store: fileStore({ path: join(folder, 'tokens'), consent: () => true }),
  cache: fileCache({ folder: join(folder, 'cache') }),
});

const each = <T>(work: (person: string) => Promise<T>): Promise<T[]> => Promise.all(PEOPLE.map(work));

async function whoami(host: Host, person: string): Promise<string> {
  const { content } = await host.callTool(
    { server: 'shared', tool: 'whoami' },
    { as: person },
    { principal: person },
  );
  const [block] = content;
  return block?.type === 'text' ? block.text : '';
}

/** Eight people sign in, list, call, refresh and approve through one host at the same time. No server sees a token of another one. */
export async function expectNoCrossing(wire: 'http' | 'sse' | 'ws', { store, cache }: Shelf): Promise<void> {
  await using servers = await startPeopleServers();
  const open = async (): Promise<Host> => {
    const host = createHost({
      name: 'tests',
      version: '1.0.0',
      transports: [http(), sse(), ws()],
      auth: [oauth({ clientName: 'tests', store, interaction: servers.interaction })],
      cache,
      lazy: true,
    });
    await host.connect({ shared: { type: wire, url: servers[wire] } });
    return host;
  };
  await using host = await open();
  await each(async (principal) => {
    await expect(host.start('shared', { principal })).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await host.signIn('shared', { principal });
  });
  for (const principal of PEOPLE) {
    expect(host.tools({ principal }).map(({ name }) => name)).toEqual(['whoami', `tool_of_${principal}`]);
  }
  expect(host.tools()).toEqual([]);
  for (let round = 0; round < ROUNDS; round++) {
    // Everyone refreshes at the same time; a WebSocket carries no token after its upgrade.
    if (round === 1 && wire !== 'sse') servers.expire();
    const answers = await each((person) => whoami(host, person));
    expect(answers).toEqual(PEOPLE.map((person) => `you are ${person}`));
  }

  // One policy for all: what the first one approves, the others are asked about.
  const policy = createToolPolicy();
  const asked: number[] = [];
  for (const principal of PEOPLE) {
    let questions = 0;
    await using tools = createTools(host, {
      principal,
      policy,
      validateArguments: false,
      confirm: async () => {
        questions++;
        return 'always-server';
      },
    });
    for (const _ of [1, 2]) {
      const { type } = await tools.snapshot().run('mcp__shared__whoami', { as: principal });
      expect(type).toBe('result');
    }
    asked.push(questions);
  }
  expect(asked).toEqual(PEOPLE.map(() => 1));

  // One signs out; the others do not notice. A new host knows each by the store.
  const [leaving = '', ...staying] = PEOPLE;
  await host.signOut('shared', { principal: leaving });
  await Promise.all(
    staying.map(async (person) => expect(await whoami(host, person)).toBe(`you are ${person}`)),
  );
  await expect(whoami(host, leaving)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  await host.close();
  await using again = await open();
  await Promise.all(
    staying.map(async (person) => expect(await whoami(again, person)).toBe(`you are ${person}`)),
  );
  await expect(whoami(again, leaving)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  expect(servers.seen).toHaveLength(ROUNDS * PEOPLE.length + 2 * PEOPLE.length + 2 * staying.length);
  expect(servers.seen.filter(({ account, calledAs }) => account !== calledAs)).toEqual([]);
}

/** A server of this machine has no token: each person has a server of their own. */
export async function expectOwnServers(wire: 'stdio' | 'inprocess'): Promise<void> {
  let servers = 0;
  const createServer = (): McpServer => {
    const own = ++servers;
    const callers = new Set<string>();
    const mcp = new McpServer({ name: 'people', version: '1.0.0' });
    mcp.registerTool('whoami', { inputSchema: { as: z.string() } }, ({ as }) => ({
      content: [{ type: 'text', text: JSON.stringify({ server: own, callers: [...callers.add(as)] }) }],
    }));
    return mcp;
  };
  const entry: ServerConfig =
    wire === 'stdio'
      ? {
          command: process.execPath,
          args: [fileURLToPath(new URL('people-stdio.mjs', import.meta.url))],
        }
      : { type: 'sdk' };
  await using host = createHost({
    name: 'tests',
    version: '1.0.0',
    transports: [stdio(), inprocess({ servers: { shared: createServer } })],
    lazy: true,
  });
  await host.connect({ shared: entry });
  const found = new Map<string, unknown>();
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await each((person) => whoami(host, person));
    for (const [index, person] of PEOPLE.entries()) {
      const { server, callers } = JSON.parse(answers[index] ?? '') as { server: number; callers: string[] };
      expect(callers).toEqual([person]);
      if (round > 0) expect(found.get(person)).toBe(server);
      found.set(person, server);
    }
  }
  expect(new Set(found.values()).size).toBe(PEOPLE.length);
}
