import { describe, expect, it } from 'vitest';
import { createTools } from '../src/create-tools.js';
import { fakeHost, tool } from './support/fake-host.js';

/** As many values and characters as an ordinary tool of a real server has. */
const properties = Object.fromEntries(
  Array.from({ length: 18 }, (_, index) => [
    `field_${index}`,
    { type: 'string', description: 'What this field of the tool means, in one sentence that is not short.' },
  ]),
);
const ordinary = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    tool(`tool_${index}`, { inputSchema: { type: 'object', properties, required: ['field_0'] } }),
  );

describe('large lists', () => {
  it('10 000 ordinary tools are all offered', () => {
    const { tools, skipped } = createTools(fakeHost(ordinary(10_000))).snapshot();
    expect(skipped).toEqual([]);
    expect(tools).toHaveLength(10_000);
  });

  it('a snapshot is not made again while the host returns the same tools', () => {
    const host = fakeHost(ordinary(3));
    const tools = createTools(host);
    const first = tools.snapshot();
    host.catalog = [...host.catalog];
    expect(tools.snapshot().tools).toBe(first.tools);
    expect(tools.snapshot().names).toBe(first.names);

    host.catalog = host.catalog.slice(1);
    const second = tools.snapshot();
    expect(second.tools).toEqual(first.tools.slice(1));
    expect(first.tools).toHaveLength(3);
    host.catalog = host.catalog.map((each) => ({ ...each, description: 'new', digest: 'new' }));
    expect(tools.snapshot().tools.map(({ description }) => description)).toEqual(['new', 'new']);
  });

  it('a policy that changes still hides what it denies', () => {
    const host = fakeHost(ordinary(2));
    const denied = new Set<string>();
    const policy = {
      ...createTools(host).policy,
      forTool: ({ name }: { readonly name: string }) =>
        ({ decision: denied.has(name) ? 'deny' : 'ask', rule: 'no-rule', reason: 'because' }) as const,
    };
    const tools = createTools(host, { policy, skipDenied: true });
    const offered = () => tools.snapshot().tools.map(({ ref }) => ref.tool);
    expect(offered()).toEqual(['tool_0', 'tool_1']);
    denied.add('tool_0');
    expect(offered()).toEqual(['tool_1']);
    denied.clear();
    expect(offered()).toEqual(['tool_0', 'tool_1']);
  });

  it('a call looks up its tool and does not go through the list', async () => {
    const host = fakeHost(ordinary(3));
    const asked: unknown[] = [];
    let lists = 0;
    const tools = createTools(
      {
        ...host,
        tools: () => (lists++, host.catalog),
        tool: (ref, options) => {
          asked.push([ref, options]);
          return host.catalog.find(({ name }) => name === ref.tool);
        },
      },
      { defaultPermission: 'allow', principal: 'ann' },
    );
    const last = await tools.snapshot().run('mcp__s__tool_1', { field_0: 'x' });
    expect(last.type).toBe('result');
    expect(lists).toBe(1);
    expect(asked).toEqual([[{ server: 's', tool: 'tool_1' }, { principal: 'ann' }]]);
  });
});
