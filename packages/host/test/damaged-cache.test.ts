import type { HostCache } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { ServerCache } from '../src/server/server-cache.js';

const LISTS = {
  tools: [{ server: 'a', name: 't', inputSchema: { type: 'object' }, digest: 'd' }],
  prompts: [{ server: 'a', name: 'p' }],
  resources: [{ server: 'a', uri: 'a:b', name: 'r' }],
  resourceTemplates: [{ server: 'a', uriTemplate: 'a:{b}', name: 'rt' }],
};

/** Returns what a host takes from a cache that has this value for everything. */
async function listsFrom(value: unknown): Promise<unknown> {
  const errors: unknown[] = [];
  const kept: HostCache = {
    get: async (key) => (key.startsWith('lists:') ? value : undefined),
    set: async () => undefined,
    delete: async () => undefined,
  };
  const deps = {
    server: 'a',
    config: {},
    options: { name: 'x', version: '1', transports: [], cache: kept },
    principal: 'ann',
    resolve: () => {
      throw new Error('There is no sign-in.');
    },
    clock: createManualClock(),
  };
  const lists = await new ServerCache(deps, (error) => errors.push(error)).lists();
  expect(errors).toEqual([]);
  return lists;
}

describe('lists of a cache', () => {
  it('are used as they were written', async () => {
    expect(await listsFrom(LISTS)).toEqual(LISTS);
  });

  it.each([
    ['a tool without a name', { tools: [{ server: 'a', inputSchema: {}, digest: 'd' }] }],
    ['a tool whose name is not text', { tools: [{ ...LISTS.tools[0], name: 7 }] }],
    ['a tool without a schema', { tools: [{ server: 'a', name: 't', digest: 'd' }] }],
    ['a tool without its digest', { tools: [{ server: 'a', name: 't', inputSchema: {} }] }],
    ['a tool with a description that is not text', { tools: [{ ...LISTS.tools[0], description: {} }] }],
    ['a tool of another server', { tools: [{ ...LISTS.tools[0], server: 'b' }] }],
    ['a prompt without a name', { prompts: [{ server: 'a' }] }],
    ['a resource without a URI', { resources: [{ server: 'a', name: 'r' }] }],
    ['a template without a URI', { resourceTemplates: [{ server: 'a', name: 'rt' }] }],
    ['an object in place of a list', { tools: {} }],
    ['null', { tools: null }],
  ])('are read from the server instead if there is %s', async (_, damaged) => {
    expect(await listsFrom({ ...LISTS, ...damaged })).toBeUndefined();
  });
});
