import type { CatalogTool } from '@mcp-fittings/host';
import { describe, expect, it } from 'vitest';
import type { ConfirmRequest } from '../../src/calls/confirm-call.js';
import { createTools, type Tools } from '../../src/create-tools.js';
import { createToolApprovals } from '../../src/permissions/tool-approvals.js';
import { createToolPolicy } from '../../src/permissions/tool-policy.js';
import {
  createToolPins,
  memoryPinStore,
  type PinChange,
  type ToolPinsOptions,
  type ToolPinStore,
} from '../../src/pins.js';
import { pinKey } from '../../src/pins/tool-pins.js';
import { fakeHost, tool, type FakeHost } from '../support/fake-host.js';

let version = 0;
/** The same tool with another description, and so with another digest. */
const changed = (name: string, description = 'Now it does more.'): CatalogTool =>
  tool(name, { description, digest: `digest ${version++} of ${name}` });

interface Scene {
  readonly host: FakeHost;
  readonly tools: Tools;
  readonly asked: ConfirmRequest[];
}

/** Tools of a host whose pins have been made of `first`. The user says yes, after `meanwhile`. */
async function scene(
  first: readonly CatalogTool[],
  options: ToolPinsOptions = {},
  meanwhile: (host: FakeHost) => unknown = () => undefined,
): Promise<Scene> {
  const host = fakeHost(first);
  const asked: ConfirmRequest[] = [];
  const tools = createTools(host, {
    pins: createToolPins(options),
    defaultPermission: 'allow',
    async confirm(request) {
      asked.push(request);
      await meanwhile(host);
      return 'once';
    },
  });
  tools.snapshot();
  await tools.pins?.settled('s');
  return { host, tools, asked };
}

const codeOf = async ({ tools }: Scene, name = 'a'): Promise<string> => {
  const event = await tools.snapshot().run(`mcp__s__${name}`);
  return event.type === 'error' ? event.error.code : 'result';
};

describe('what the user saw is what is called', () => {
  it('a tool that changes while the question is open is asked about again', async () => {
    let times = 0;
    const place = await scene([tool('a')], {}, (host) => {
      if (times++ === 0) host.catalog = [changed('a', 'And more.')];
    });
    place.host.catalog = [changed('a')];
    expect(await codeOf(place)).toBe('APPROVAL_REQUIRED');
    expect(place.host.calls).toEqual([]);
    expect(await codeOf(place)).toBe('result');
    expect(place.asked.map(({ text }) => text)).toEqual([
      expect.stringContaining('Now it does more.'),
      expect.stringContaining('And more.'),
    ]);
  });

  it('a tool that changes while the answer is stored is asked about again', async () => {
    const slow = memoryPinStore();
    let onStored: (() => void) | undefined;
    const store: ToolPinStore = {
      read: (key) => slow.read(key),
      remove: (key) => slow.remove(key),
      async change(key, edit) {
        await slow.change(key, edit);
        onStored?.();
      },
    };
    const place = await scene([tool('a')], { store });
    place.host.catalog = [changed('a')];
    onStored = () => (place.host.catalog = [changed('a', 'And more.')]);
    expect(await codeOf(place)).toBe('APPROVAL_REQUIRED');
    expect(place.host.calls).toEqual([]);
    onStored = undefined;
    expect(await codeOf(place)).toBe('result');
    expect(place.asked).toHaveLength(2);
  });

  it('another server under the same name is used for the first time, and the tools of the first stay pinned', async () => {
    const place = await scene([tool('a')]);
    const servers = place.host.servers();
    Object.assign(place.host, { servers: () => [{ name: 's', identity: 'another entry' }] });
    place.host.catalog = [changed('a')];
    expect(await codeOf(place)).toBe('result');
    Object.assign(place.host, { servers: () => servers });
    place.host.catalog = [changed('a')];
    await place.tools.snapshot().run('mcp__s__a');
    expect(place.asked).toHaveLength(1);
  });

  it('a call does not run before what it relies on is stored', async () => {
    const kept = memoryPinStore();
    let isFull = true;
    const store: ToolPinStore = {
      ...kept,
      change: (key, edit) => (isFull ? Promise.reject(new Error('disk full')) : kept.change(key, edit)),
    };
    const place = await scene([tool('r', { server: 'r' })], { store });
    place.host.catalog = [tool('a')];
    expect(await codeOf(place)).toBe('CALLBACK_FAILED');
    expect(place.host.calls).toEqual([]);
    isFull = false;
    expect(await codeOf(place)).toBe('result');
  });

  it('of two processes that use a server for the first time, the first one counts', async () => {
    const kept = memoryPinStore();
    const store: ToolPinStore = {
      ...kept,
      async change(key, edit) {
        await Promise.resolve();
        await kept.change(key, edit);
      },
    };
    const [one, two] = [createToolPins({ store }), createToolPins({ store })];
    const server = (tools: readonly CatalogTool[]) => ({ name: 's', identity: 'i', tools });
    const [mine, theirs] = [server([tool('a')]), server([changed('a')])];
    // Neither has stored anything when the other looks.
    expect([one.review(mine).isFirstUse, two.review(theirs).isFirstUse]).toEqual([true, true]);
    await Promise.all([one.settled(mine), two.settled(theirs)]);
    expect(two.review(theirs).changes).toMatchObject([{ kind: 'changed', tool: 'a' }]);
    expect(one.review(mine).changes).toEqual([]);
  });

  it('a store that is asynchronous loses no answer: both processes keep what their users agreed to', async () => {
    const kept = memoryPinStore();
    const store: ToolPinStore = {
      ...kept,
      async change(key, edit) {
        await Promise.resolve();
        await kept.change(key, edit);
      },
    };
    const [one, two] = [createToolPins({ store }), createToolPins({ store })];
    const server = { name: 's', identity: 'i', tools: [tool('a'), tool('b')] };
    one.review(server);
    expect(two.review(server).isFirstUse).toBe(true);
    await Promise.all([one.settled(server), two.settled(server)]);
    const now = { ...server, tools: [changed('a'), changed('b')] };
    const [first, second] = one.review(now).changes;
    if (first === undefined || second === undefined) return expect.unreachable();
    await Promise.all([one.accept(now, [first]), two.accept(now, [second])]);
    expect(one.review(now).changes).toEqual([]);
    expect(two.review(now).changes).toEqual([]);
  });
});

describe('what is new is hidden until the user has seen it', () => {
  it('an approval of the server does not cover a tool that the user has not seen', async () => {
    const host = fakeHost([tool('a')]);
    const approvals = createToolApprovals();
    const tools = createTools(host, {
      policy: createToolPolicy({ approvals }),
      pins: createToolPins(),
      confirm: () => Promise.resolve('always-server'),
    });
    tools.snapshot();
    host.catalog = [tool('a'), tool('b', { description: 'New.' })];
    await tools.snapshot().run('mcp__s__a');
    expect(approvals.toJSON().servers[0]?.tools.map((each) => each.tool)).toEqual(['a']);
    await tools.pins?.accept(tools.pins.changes());
    await tools.snapshot().run('mcp__s__b');
    expect(approvals.toJSON().servers[0]?.tools.map((each) => each.tool)).toEqual(['a', 'b']);
  });

  it('showUnseen: the model sees it, and the user is asked before it runs', async () => {
    const place = await scene([tool('a')], { showUnseen: true });
    place.host.catalog = [changed('a'), tool('b', { description: 'New.' })];
    expect(place.tools.snapshot().tools.map(({ description }) => description)).toEqual([
      'Now it does more.',
      'New.',
    ]);
    expect(await codeOf(place, 'b')).toBe('result');
    expect(place.asked[0]?.text).toContain('was added after you first used the server');
    expect(place.asked[0]?.text).toContain('+ "New."');
    expect(await codeOf(place, 'b')).toBe('result');
    expect(place.asked).toHaveLength(1);
  });

  it('a changed tool is offered as it was until the user agrees, and then as it is', async () => {
    const place = await scene([tool('a', { description: 'Old.' })]);
    place.host.catalog = [changed('a')];
    const offered = (): string | undefined => place.tools.snapshot().tools[0]?.description;
    expect(offered()).toBe('Old.');
    // The schemas of a tool that stays are not converted again.
    expect(place.tools.snapshot().tools[0]).toBe(place.tools.snapshot().tools[0]);
    expect(await codeOf(place)).toBe('result');
    expect(offered()).toBe('Now it does more.');
  });

  it('a denied tool is not asked about, and without a callback nothing runs', async () => {
    const host = fakeHost([tool('a'), tool('b')]);
    const tools = createTools(host, {
      policy: createToolPolicy({ servers: { s: { deniedTools: ['a'], allowedTools: ['*'] } } }),
      pins: createToolPins(),
    });
    tools.snapshot();
    host.catalog = [changed('a'), changed('b')];
    const turn = tools.snapshot();
    expect(await turn.run('mcp__s__a')).toMatchObject({ error: { code: 'POLICY_DENIED' } });
    expect(await turn.run('mcp__s__b')).toMatchObject({ error: { code: 'APPROVAL_REQUIRED' } });
    expect(host.calls).toEqual([]);
  });

  it('an older toolset does not call a tool that its server does not list any more, unless it was agreed to', async () => {
    const place = await scene([tool('a')], { showUnseen: true });
    place.host.catalog = [tool('a'), tool('b')];
    const turn = place.tools.snapshot();
    place.host.catalog = [tool('a')];
    await turn.run('mcp__s__b');
    expect(place.asked).toHaveLength(1);
  });
});

describe('what is pinned', () => {
  const seen = async (
    from: Partial<CatalogTool>,
    to: Partial<CatalogTool>,
  ): Promise<readonly PinChange[]> => {
    const { host, tools } = await scene([tool('a', { ...from, digest: 'one' })]);
    host.catalog = [tool('a', { ...to, digest: 'two' })];
    return tools.pins?.changes() ?? [];
  };

  it.each<[string, Partial<CatalogTool>]>([
    ['the title', { title: 'x' }],
    ['the description', { description: 'x' }],
    ['the input schema', { inputSchema: { type: 'object', properties: { x: {} } } }],
    ['the output schema', { outputSchema: { type: 'object' } }],
    ['the annotations', { annotations: { readOnlyHint: true } }],
    ['who may call it', { _meta: { ui: { visibility: ['model'] } } }],
    ['the page that shows it', { _meta: { 'openai/outputTemplate': 'ui://x' } }],
  ])('%s', async (_, more) => {
    expect(await seen({}, more)).toMatchObject([{ kind: 'changed', tool: 'a' }]);
    expect(await seen(more, {})).toMatchObject([{ kind: 'changed', tool: 'a' }]);
    expect(await seen(more, more)).toEqual([]);
  });

  it('the order of members and other metadata do not matter', async () => {
    expect(
      await seen(
        { inputSchema: { type: 'object', title: 'x' }, _meta: { at: 1 } },
        { inputSchema: { title: 'x', type: 'object' }, _meta: { at: 2 } },
      ),
    ).toEqual([]);
  });

  it('a tool that is removed and returns has kept its pin', async () => {
    const place = await scene([tool('a'), tool('b')]);
    place.host.catalog = [tool('b')];
    place.tools.snapshot();
    place.host.catalog = [tool('a'), tool('b')];
    expect(place.tools.pins?.changes()).toEqual([]);
    place.host.catalog = [changed('a'), tool('b')];
    expect(place.tools.pins?.changes()).toMatchObject([{ kind: 'changed', tool: 'a' }]);
  });

  it('a copy of a tool that is still listed is added, and names the tool', async () => {
    const place = await scene([tool('a', { description: 'x' })]);
    place.host.catalog = [tool('a', { description: 'x' }), tool('b', { description: 'x' })];
    expect(place.tools.pins?.changes()).toMatchObject([{ kind: 'added', tool: 'b', other: 'a' }]);
  });

  it('names that objects inherit are names', async () => {
    const names = ['__proto__', 'constructor', 'toString', ''];
    const place = await scene(names.map((name) => tool(name)));
    expect(place.tools.pins?.changes()).toEqual([]);
    place.host.catalog = names.map((name) => changed(name));
    expect(place.tools.pins?.changes().map((each) => each.tool)).toEqual(names);
    await place.tools.pins?.accept(place.tools.pins.changes());
    expect(place.tools.pins?.changes()).toEqual([]);
  });

  it('of two tools with one name, the first is pinned', async () => {
    const place = await scene([tool('a'), changed('a')]);
    expect(place.tools.pins?.changes()).toEqual([]);
    expect(await codeOf(place)).toBe('result');
    place.host.catalog = [changed('a'), tool('a')];
    expect(place.tools.pins?.changes()).toMatchObject([{ kind: 'changed', tool: 'a' }]);
  });
});

describe('pins are kept for each entry and person', () => {
  it('saved and read again', async () => {
    const store = memoryPinStore();
    await scene([tool('a')], { store });
    const saved: unknown = JSON.parse(JSON.stringify(store));
    const place = await scene([changed('a')], { store: memoryPinStore(saved) });
    expect(place.tools.pins?.changes()).toMatchObject([{ kind: 'changed', tool: 'a' }]);
    const other = await scene([changed('a')], {
      store: memoryPinStore(saved),
      identify: () => 'another entry',
    });
    expect(other.tools.pins?.changes()).toEqual([]);
  });

  it('without an identity they last as long as the pins, and are not stored', async () => {
    const store = memoryPinStore();
    const host = Object.assign(fakeHost([tool('a')]), { servers: () => [] });
    const tools = createTools(host, { pins: createToolPins({ store }) });
    tools.snapshot();
    host.catalog = [changed('a')];
    expect(tools.pins?.changes()).toHaveLength(1);
    expect(store.toJSON().records).toEqual([]);
  });

  it('two names of one entry share its pins, and each change names its server', () => {
    const pins = createToolPins();
    const named = (name: string, tools: readonly CatalogTool[]) => ({ name, identity: 'i', tools });
    pins.review(named('one', [tool('a')]));
    const tools = [changed('a')];
    expect(pins.review(named('one', tools)).changes).toMatchObject([{ server: 'one' }]);
    expect(pins.review(named('two', tools)).changes).toMatchObject([{ server: 'two' }]);
  });

  it('removed pins of tools count as added; without any, the server is used for the first time', async () => {
    const pins = createToolPins();
    const server = { name: 's', identity: 'i', tools: [tool('a'), tool('b')] };
    pins.review(server);
    await pins.remove(server, ['a']);
    expect(pins.review(server).changes).toMatchObject([{ kind: 'added', tool: 'a' }]);
    await pins.remove(server);
    expect(pins.review(server).isFirstUse).toBe(true);
  });

  it.each<[string, unknown]>([
    ['another version', { version: 2 }],
    ['a tool without a name', { version: 1, server: 's', identity: 'identity of s', at: 0, tools: [{}] }],
    ['text', 'x'],
  ])(
    'malformed pins (%s) are not a first use: the tools are not offered and not called',
    async (_, record) => {
      const kept = memoryPinStore();
      const key = pinKey('identity of s', undefined);
      const store: ToolPinStore = { ...kept, read: (each) => (each === key ? record : kept.read(each)) };
      const host = fakeHost([tool('a'), tool('b', { server: 'r' })]);
      const tools = createTools(host, { pins: createToolPins({ store }), defaultPermission: 'allow' });
      const turn = tools.snapshot();
      expect(turn.tools.map(({ ref }) => ref.tool)).toEqual(['b']);
      expect(turn.skipped[0]?.error.code).toBe('STORE_CORRUPT');
      expect(tools.pins?.changes()).toEqual([]);
      expect((await turn.run('mcp__r__b')).type).toBe('result');
    },
  );

  it.each([['x'], [{ version: 1 }], [{ version: 1, records: [{}] }], [null]])(
    'refuses saved pins that are %j',
    (saved) => {
      expect(() => memoryPinStore(saved)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );

  it('a report that throws is an error of the host, and pins nothing anew', async () => {
    const place = await scene([tool('a')], {
      onChange: 'warn',
      report: () => {
        throw new Error('mine');
      },
    });
    place.host.catalog = [changed('a')];
    expect(() => place.tools.snapshot()).toThrow(expect.objectContaining({ code: 'CALLBACK_FAILED' }));
    expect(() => place.tools.snapshot()).toThrow(expect.objectContaining({ code: 'CALLBACK_FAILED' }));
  });
});

describe('ten thousand tools', () => {
  const many = (description: string): readonly CatalogTool[] =>
    Array.from({ length: 10_000 }, (_, index) =>
      tool(`tool_${index}`, { description: `${description} ${index}`, digest: `${description} ${index}` }),
    );

  it('are compared once for each list, and not for each call', async () => {
    let read = 0;
    const watched = many('x').map((each) =>
      Object.defineProperty({ ...each }, 'inputSchema', {
        enumerable: true,
        get() {
          read++;
          return each.inputSchema;
        },
      }),
    );
    const pins = createToolPins();
    const server = { name: 's', identity: 'i', tools: watched };
    pins.review(server);
    await pins.settled(server);
    read = 0;
    pins.review(server);
    // Digests that are the same are not looked into.
    expect(read).toBe(0);
    const other = { ...server, tools: watched.map((each) => ({ ...each, digest: `${each.digest}!` })) };
    read = 0;
    pins.review(other);
    const first = pins.review(other);
    expect(pins.review({ ...other, tools: [...other.tools] })).toBe(first);
  });

  it('that are all changed are all seen', () => {
    const pins = createToolPins();
    pins.review({ name: 's', identity: 'i', tools: many('x') });
    expect(pins.review({ name: 's', identity: 'i', tools: many('y') }).changes).toHaveLength(10_000);
  });

  it('a server that adds tools without end does not fill the store', async () => {
    const pins = createToolPins({ onChange: 'warn' });
    for (const name of ['x', 'y', 'z']) {
      const tools = many(name).map((each) => ({ ...each, name: `${name} ${each.name}` }));
      const server = { name: 's', identity: 'i', tools };
      pins.review(server);
      await pins.settled(server);
      expect(pins.review(server).changes).toEqual([]);
      expect(pins.review(server).record?.tools.length).toBeLessThanOrEqual(20_000);
    }
  });
});
