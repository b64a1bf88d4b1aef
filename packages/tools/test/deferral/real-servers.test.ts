import { createHost, type Host } from '@mcp-fittings/host';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTools, type Tools } from '../../src/create-tools.js';

const ANIMALS = ['whale', 'otter', 'heron', 'badger', 'lynx'];
const VERBS = ['count', 'feed', 'photograph', 'describe', 'release', 'weigh'];
const PLACES = [
  'harbor',
  'forest',
  'tundra',
  'delta',
  'island',
  'canyon',
  'reef',
  'meadow',
  'glacier',
  'marsh',
];

/** A server with 300 tools. */
function createZoo(): McpServer {
  const zoo = new McpServer(
    { name: 'zoo', version: '1.0.0' },
    { instructions: 'Tools of the zoological society. Ask before you release animals.' },
  );
  for (const animal of ANIMALS) {
    for (const verb of VERBS) {
      for (const place of PLACES) {
        zoo.registerTool(
          `${verb}_${animal}_${place}`,
          {
            description: `Use it to ${verb} each ${animal} in the ${place}. Takes a while.`,
            inputSchema: { keeper: z.string().describe('Who does it'), limit: z.number().int().optional() },
            annotations: { readOnlyHint: verb === 'count' },
          },
          ({ keeper }) => ({ content: [{ type: 'text', text: `${keeper}: ${verb} ${animal} ${place}` }] }),
        );
      }
    }
  }
  return zoo;
}

describe('with real servers', () => {
  let host: Host;
  let tools: Tools;
  let zoo: McpServer | undefined;

  beforeAll(async () => {
    host = createHost({
      name: 'search-test',
      version: '1.0.0',
      transports: [inprocess({ servers: { zoo: () => (zoo = createZoo()) } })],
    });
    await host.connect({ zoo: { type: 'sdk', name: 'zoo' } });
    tools = createTools(host, { defer: 'auto', defaultPermission: 'allow' });
  });

  afterAll(async () => {
    await tools.close();
    await host.close();
  });

  it('300 tools cost less than a tenth, and what was found can be called', async () => {
    const conversation = tools.conversation();
    const turn = tools.snapshot(conversation);
    expect(turn.tools.map(({ name }) => name)).toEqual(['tool_search']);
    expect(turn.tools[0]?.description).toContain('- zoo (300 tools): Tools of the zoological society.');
    const { rendering } = await turn.run('tool_search', { query: 'photograph the otter on the island' });
    expect(rendering.text.split('\n')[1]).toBe(
      '- mcp__zoo__photograph_otter_island: Use it to photograph each otter in the island.',
    );
    const next = tools.snapshot(conversation);
    const sizeOf = (some: typeof next.tools): number =>
      JSON.stringify(some.map(({ name, description, inputSchema }) => [name, description, inputSchema]))
        .length;
    expect(sizeOf(next.tools)).toBeLessThan(sizeOf(createTools(host).snapshot().tools) / 10);
    const done = await next.run('mcp__zoo__photograph_otter_island', { keeper: 'Ann' });
    expect(done.rendering.text).toBe('Ann: photograph otter island');
  });

  it('conversations at once find and call their own tools', async () => {
    const ends = await Promise.all(
      ANIMALS.map(async (animal) => {
        const conversation = tools.conversation();
        const keeper = `keeper of the ${animal}`;
        for (const place of PLACES) {
          await tools.snapshot(conversation).run('tool_search', { query: `+${animal} +${place} weigh` });
          const { rendering } = await tools
            .snapshot(conversation)
            .run(`mcp__zoo__weigh_${animal}_${place}`, { keeper });
          expect(rendering.text).toBe(`${keeper}: weigh ${animal} ${place}`);
        }
        return conversation.loaded;
      }),
    );
    expect(
      ends.flat().filter(({ tool }, at) => !tool.includes(ANIMALS[Math.floor(at / ends[0]!.length)]!)),
    ).toEqual([]);
  });

  it('a tool that a server adds is found in the next turn, and one that it removes is not offered', async () => {
    const conversation = tools.conversation();
    await tools
      .snapshot(conversation)
      .run('tool_search', { query: 'select:mcp__zoo__feed_lynx_tundra,mcp__zoo__feed_lynx_reef' });
    const { promise: changed, resolve } = deferred();
    using _ = host.on('toolsChanged', () => {
      if (host.tools().some(({ name }) => name === 'groom_walrus')) resolve();
    });
    const before = tools.snapshot(conversation);
    zoo?.registerTool('groom_walrus', { description: 'Brushes a walrus.' }, () => ({ content: [] }));
    await changed;
    expect((await before.run('tool_search', { query: 'walrus' })).rendering.text).toContain('No tool');
    const { rendering } = await tools.snapshot(conversation).run('tool_search', { query: 'walrus' });
    expect(rendering.text).toContain('mcp__zoo__groom_walrus: Brushes a walrus.');
    expect(tools.snapshot(conversation).tools.map(({ name }) => name)).toEqual([
      'tool_search',
      'mcp__zoo__feed_lynx_tundra',
      'mcp__zoo__feed_lynx_reef',
      'mcp__zoo__groom_walrus',
    ]);
    await host.stop('zoo');
    const turn = tools.snapshot(conversation);
    expect(turn.tools.map(({ name }) => name)).toEqual(['tool_search']);
    await host.start('zoo');
    expect(
      tools
        .snapshot(conversation)
        .tools.map(({ name }) => name)
        .slice(1, 3),
    ).toEqual(['mcp__zoo__feed_lynx_tundra', 'mcp__zoo__feed_lynx_reef']);
  });
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
