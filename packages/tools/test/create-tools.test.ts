import type { CatalogTool } from '@mcp-fittings/host';
import { describe, expect, it } from 'vitest';
import { createToolPolicy } from '../src/permissions/tool-policy.js';
import { createTools, type ToolsOptions } from '../src/create-tools.js';
import { toolVisibility } from '../src/permissions/tool-visibility.js';
import { fakeHost, text, tool } from './support/fake-host.js';

function snapshotOf(catalog: readonly CatalogTool[], options?: ToolsOptions) {
  const { tools, skipped, names } = createTools(fakeHost(catalog), options).snapshot();
  return {
    offered: tools.map(({ ref }) => ref.tool),
    skipped: skipped.map(({ ref, error }) => `${ref.tool.slice(0, 20)}: ${error.code}`),
    names,
  };
}

describe('what a server lists is bounded before it is sorted, compared or converted', () => {
  it.each<[string, (count: (target: object) => object) => Partial<CatalogTool>]>([
    ['100 000 properties', (count) => ({ inputSchema: { properties: count(record(100_000)) } })],
    [
      '100 000 properties, deep inside',
      (count) => ({ inputSchema: { anyOf: [{ items: count(record(100_000)) }] } }),
    ],
    [
      '100 000 definitions in the output schema',
      (count) => ({ outputSchema: { $defs: count(record(100_000)) } }),
    ],
    [
      'a list of 3 000 000 names',
      (count) => ({ inputSchema: { required: count(new Array(3_000_000).fill('x')) } }),
    ],
    [
      '19 999 objects of 19 999 members',
      (count) => ({ inputSchema: { properties: count(recordOf(19_999, count(record(19_999)))) } }),
    ],
    ['a value of 50 MB', () => ({ inputSchema: { default: 'x'.repeat(50_000_000) } })],
    ['a key of 50 MB', () => ({ inputSchema: { properties: { ['x'.repeat(50_000_000)]: {} } } })],
    ['a name of 50 MB', () => ({ name: 'x'.repeat(50_000_000) })],
  ])('%s', (_, more) => {
    let reads = 0;
    const count = (target: object): object =>
      new Proxy(target, {
        get(object, key) {
          reads++;
          return Reflect.get(object, key) as unknown;
        },
      });
    const result = snapshotOf([tool('good'), tool('huge', more(count))]);
    expect(result.offered).toEqual(['good']);
    expect(result.skipped).toHaveLength(1);
    expect(reads).toBeLessThan(50_000);
  });

  it('the limits apply to each server: one that exceeds them does not affect the others', () => {
    let reads = 0;
    const properties = new Proxy(record(990), {
      get(object, key) {
        reads++;
        return Reflect.get(object, key) as unknown;
      },
    });
    const catalog = Array.from({ length: 500 }, (_, index) =>
      tool(`t${index}`, { inputSchema: { properties } }),
    );
    const listLimits = { maxNodes: 40_000 };
    const result = snapshotOf([...catalog, tool('other', { server: 'r' })], { listLimits });
    expect(result.offered).toContain('other');
    expect(result.offered.length).toBeLessThan(50);
    expect(result.skipped).toContain('t499: SCHEMA_REFUSED');
    expect(reads).toBeLessThan(100_000);
  });

  it('the limits are options', () => {
    const catalog = [tool('a'), tool('b'), tool('c')];
    expect(snapshotOf(catalog, { listLimits: { maxTools: 2 } })).toMatchObject({
      offered: ['a', 'b'],
      skipped: ['c: SCHEMA_REFUSED'],
    });
    const big = { inputSchema: { properties: record(100) } };
    const options = { listLimits: { maxNodes: 250 } };
    expect(snapshotOf([tool('a', big), tool('b', big), tool('c', big)], options).offered).toEqual(['a', 'b']);
  });
});

describe('tools for apps only', () => {
  it.each([
    [{ ui: { visibility: ['app'] } }, false],
    [{ ui: { visibility: [] } }, false],
    [{ ui: { visibility: 'app' } }, false],
    [{ 'ui/visibility': ['app'] }, false],
    [{ ui: { resourceUri: 'ui://x' }, 'ui/visibility': ['app'] }, false],
    [{ ui: { visibility: ['model', 'app'] }, 'ui/visibility': ['app'] }, false],
    [{ 'openai/visibility': 'private' }, false],
    [{ 'openai/visibility': 'public' }, true],
    [{ ui: { visibility: ['model', 'app'] } }, true],
    [{ ui: { visibility: ['model'] }, 'ui/visibility': ['model'] }, true],
    [{ 'ui/visibility': ['app', 'model'] }, true],
    [{ ui: { resourceUri: 'ui://x' } }, true],
    [{ ui: null }, true],
    [{}, true],
  ])('%j: offered to the model: %s', async (_meta, offered) => {
    const host = fakeHost([tool('x', { _meta })]);
    await using tools = createTools(host, { defaultPermission: 'allow' });
    const turn = tools.snapshot();
    expect(turn.tools).toHaveLength(offered ? 1 : 0);
    expect(turn.skipped.map(({ error }) => error.code)).toEqual(offered ? [] : ['POLICY_DENIED']);
    expect((await turn.run('mcp__s__x')).type).toBe(offered ? 'result' : 'error');
    expect(snapshotOf([tool('x', { _meta })], { includeAppTools: true }).offered).toEqual(['x']);
  });
});

describe('tools for apps', () => {
  it.each([
    [{}, true],
    [{ ui: { resourceUri: 'ui://x' } }, true],
    [{ ui: { visibility: ['model', 'app'] } }, true],
    [{ ui: { visibility: 'app' } }, true],
    [{ 'openai/visibility': 'private' }, true],
    [{ ui: { visibility: ['model'] } }, false],
    [{ ui: { visibility: [] } }, false],
    [{ ui: { visibility: 'model' } }, false],
    [{ ui: { visibility: null } }, false],
    [{ ui: { visibility: { app: true } } }, false],
    [{ ui: { visibility: ['app'] }, 'ui/visibility': ['model'] }, false],
  ])('%j: for apps: %s', (_meta, app) => {
    expect(toolVisibility(tool('x', { _meta })).app).toBe(app);
  });

  it('are called with the names of the server, whatever the model was shown', async () => {
    const host = fakeHost([tool('x', { inputSchema: { type: 'object', properties: { 'a b': {} } } })]);
    await using tools = createTools(host, { defaultPermission: 'allow' });
    const turn = tools.snapshot();
    await turn.run('mcp__s__x', { a_b: 1 });
    await turn.run('mcp__s__x', { a_b: 1 }, { originalNames: true });
    expect(host.calls.map(({ args }) => args)).toEqual([{ 'a b': 1 }, { a_b: 1 }]);
  });
});

describe('a reference to another document', () => {
  it('does not skip the tool, and the model is told', async () => {
    const host = fakeHost([
      tool('x', {
        inputSchema: {
          type: 'object',
          properties: {
            filter: { $ref: 'https://example.com/filter.json', description: 'What to find.' },
            limit: { type: 'integer' },
          },
          required: ['limit'],
        },
      }),
    ]);
    await using tools = createTools(host, { defaultPermission: 'allow' });
    const turn = tools.snapshot();
    const [offered] = turn.tools;
    expect(offered?.inputSchema.properties['filter']).toEqual({
      description: 'What to find. Not described here: see https://example.com/filter.json.',
    });
    expect(offered?.input.coverage).toBe('partial');
    expect(offered?.input.unchecked).toEqual([
      { keyword: '$ref', pointer: '/properties/filter', reason: expect.stringContaining('not fetched') },
    ]);
    expect((await turn.run('mcp__s__x', { filter: { any: ['thing'] }, limit: 1 })).type).toBe('result');
    expect((await turn.run('mcp__s__x', { limit: 'x' })).type).toBe('error');
  });
});

describe('denied tools', () => {
  const policy = createToolPolicy({ servers: { s: { deniedTools: ['x'] }, r: { writePermission: 'deny' } } });
  const catalog = [tool('x'), tool('y'), tool('z', { server: 'r' })];

  it('are offered unless skipDenied is set', () => {
    expect(snapshotOf(catalog, { policy }).offered).toHaveLength(3);
    expect(snapshotOf(catalog, { policy, skipDenied: true })).toMatchObject({
      offered: ['y'],
      skipped: ['x: POLICY_DENIED', 'z: POLICY_DENIED'],
    });
  });
});

describe('run', () => {
  it('resolves with the last event, and reports the others to onEvent', async () => {
    const host = fakeHost([tool('x')], async (_, { onProgress }) => {
      onProgress?.({ progress: 1, message: 'half' });
      await new Promise((resolve) => setImmediate(resolve));
      return text('done');
    });
    await using tools = createTools(host, { defaultPermission: 'allow' });
    const seen: string[] = [];
    const last = await tools.snapshot().run('mcp__s__x', {}, { onEvent: ({ type }) => seen.push(type) });
    expect(last).toMatchObject({ type: 'result', rendering: { text: 'done' } });
    expect(seen).toEqual(['partial', 'progress']);
  });

  it('does not reject for an unknown name, an aborted signal or a callback that throws', async () => {
    const host = fakeHost([tool('x')], async (_, { onProgress, signal }) => {
      onProgress?.({ progress: 1 });
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('late'))),
      );
    });
    await using tools = createTools(host, { defaultPermission: 'allow' });
    const turn = tools.snapshot();
    expect(await turn.run('nothing')).toMatchObject({ type: 'error', error: { code: 'TOOL_UNKNOWN' } });
    expect(await turn.run('mcp__s__x', {}, { signal: AbortSignal.abort() })).toMatchObject({
      error: { code: 'ABORTED' },
      rendering: { isError: true },
    });
    const onEvent = (): never => {
      throw new Error('no');
    };
    expect(await turn.run('mcp__s__x', {}, { onEvent })).toMatchObject({
      error: { code: 'CALLBACK_FAILED' },
    });
  });
});

describe('messages for missing arguments', () => {
  it.each([
    [{ type: 'number' }, 'b: missing, expected number'],
    [{ type: 'integer' }, 'b: missing, expected number'],
    [{ enum: ['x', 'y'] }, 'b: missing, expected one of "x"|"y"'],
    [{}, 'b: missing'],
  ])('%j', async (b, words) => {
    const host = fakeHost([
      tool('x', { inputSchema: { type: 'object', properties: { b }, required: ['b'] } }),
    ]);
    await using tools = createTools(host, { defaultPermission: 'allow' });
    const last = await tools.snapshot().run('mcp__s__x', {});
    expect(last.type === 'error' && last.error.message).toBe(
      `The arguments of mcp__s__x are invalid: ${words}.`,
    );
    expect(last.rendering.text).not.toContain('undefined');
  });
});

function record(count: number): Record<string, unknown> {
  return recordOf(count, {});
}

function recordOf(count: number, member: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, member]));
}

it('the names of an earlier snapshot stay as they were', () => {
  const host = fakeHost([tool('a b')]);
  const tools = createTools(host);
  const before = tools.snapshot();
  host.catalog = [tool('a b'), tool('a_b')];
  const after = tools.snapshot();
  const ref = { server: 's', tool: 'a b' };
  expect(before.names.nameOf(ref)).toBe('mcp__s__a_b');
  expect(after.names.nameOf(ref)).not.toBe('mcp__s__a_b');
  host.catalog = [tool('a b')];
  expect(tools.snapshot().names.nameOf(ref)).toBe('mcp__s__a_b');
  expect(after.names.nameOf(ref)).not.toBe('mcp__s__a_b');
});
