import { describe, expect, it } from 'vitest';
import type { Interceptor } from '@mcp-fittings/host';
import { testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { scripted } from './support/scripted.js';

const named = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });

function hostOf(tools: readonly object[], intercept: readonly Interceptor[] = []) {
  const servers = testServers(() => scripted({ 'tools/list': () => ({ tools }) }));
  return testHost([servers.plugin], { intercept });
}

describe('host.tool', () => {
  it('returns the tool that host.tools lists under this server and name', async () => {
    await using host = hostOf([named('one'), named('two')]);
    await host.connect({ a: { type: 'test' }, b: { type: 'test' } });
    for (const tool of host.tools())
      expect(host.tool({ server: tool.server, tool: tool.name })).toEqual(tool);
    expect(host.tool({ server: 'b', tool: 'two' })).toMatchObject({ server: 'b', serverState: 'connected' });
    expect(host.tool({ server: 'a', tool: 'three' })).toBeUndefined();
    expect(host.tool({ server: 'c', tool: 'one' })).toBeUndefined();
    expect(host.tool({ server: '__proto__', tool: 'constructor' })).toBeUndefined();
  });

  it('belongs to the person whom the options name', async () => {
    await using host = hostOf([named('one')]);
    await host.connect({ a: { type: 'test' } });
    const ref = { server: 'a', tool: 'one' };
    expect(host.tool(ref, { principal: 'ann' })).toBeUndefined();
    await host.start('a', { principal: 'ann' });
    expect(host.tool(ref, { principal: 'ann' })).toEqual(host.tools({ principal: 'ann' })[0]);
    expect(host.tool({ server: 'b', tool: 'one' }, { principal: 'ann' })).toBeUndefined();
    await host.stop('a', { principal: 'ann' });
    expect(host.tool(ref, { principal: 'ann' })).toBeUndefined();
    expect(host.tool(ref)).toBeDefined();
  });

  it('is as interceptors changed the list, and the first one if they list a name twice', async () => {
    await using host = hostOf(
      [named('one'), named('two')],
      [
        {
          async listTools(request, next) {
            const list = await next(request);
            const [first] = list.items;
            if (first === undefined) throw new Error('The list is empty.');
            return { ...list, items: [{ ...first, description: 'changed' }, first] };
          },
        },
      ],
    );
    await host.connect({ a: { type: 'test' } });
    expect(host.tools()).toHaveLength(2);
    expect(host.tool({ server: 'a', tool: 'one' })).toEqual(host.tools()[0]);
    expect(host.tool({ server: 'a', tool: 'one' })?.description).toBe('changed');
    expect(host.tool({ server: 'a', tool: 'two' })).toBeUndefined();
  });

  it('throws CONFIG_INVALID for a reference without a name', async () => {
    await using host = hostOf([]);
    // @ts-expect-error -- JavaScript can pass the name of another method's reference
    expect(() => host.tool({ server: 'a', name: 'one' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});

it('a list with as many ordinary tools as limits.listItems allows is kept whole', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `field_${index}`,
      { type: 'string', description: 'What the field of this tool is for, in a sentence of its own.' },
    ]),
  );
  const tools = Array.from({ length: 10_000 }, (_, index) => ({
    name: `tool_${index}`,
    description: 'x'.repeat(400),
    inputSchema: { type: 'object', properties, required: ['field_0'] },
  }));
  await using host = hostOf(tools);
  const [server] = await host.connect({ a: { type: 'test' } });
  expect(server?.lists.tools.skipped).toEqual([]);
  expect(host.tools()).toHaveLength(10_000);
});

it('parts without text count with the memory that they take', async () => {
  const servers = testServers(() =>
    scripted({
      'tools/list': () => ({
        tools: ['one', 'two'].map((name) => ({
          ...named(name),
          _meta: { list: Array.from({ length: 10_000 }, () => 0) },
        })),
      }),
    }),
  );
  await using host = testHost([servers.plugin], { limits: { listBytes: 400_000 } });
  await host.connect({ a: { type: 'test' } });
  expect(host.tools().map(({ name }) => name)).toEqual(['one']);
});
