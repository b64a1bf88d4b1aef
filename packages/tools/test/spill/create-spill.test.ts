import { setImmediate } from 'node:timers/promises';
import type { ToolResult } from '@mcp-fittings/host';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createToolPins, memoryPinStore } from '../../src/pins.js';
import { createTools } from '../../src/create-tools.js';
import { anthropicTools } from '../../src/model-apis/anthropic.js';
import { naming } from '../../src/names/tool-names.js';
import { createToolPolicy } from '../../src/permissions/tool-policy.js';
import { createSpill, memorySpillStore, type SpillOptions, type SpillStore } from '../../src/spill.js';
import { fakeHost, text, tool } from '../support/fake-host.js';
import { referenceOf, spilling, textPart } from './support.js';

const long = (length = 5_000): ToolResult => text('0123456789'.repeat(length / 10));

describe('a large result', () => {
  it('the model gets a preview, the size and a reference, and the event has the whole', async () => {
    const result = text(
      Array.from({ length: 200 }, (_, index) => `This is line ${index + 1} of many lines`).join('\n'),
    );
    const { big } = spilling(result);
    const event = await big();
    if (event.type !== 'result') return expect.unreachable();
    expect(event.result).toBe(result);
    const [preview, note] = event.rendering.parts.map(textPart);
    expect(preview).toBe(
      'This is line 1 of many lines\nThis is line 2 of many lines\nThis is line 3 of many lines\n',
    );
    const { reference, characters, expiresAt } = event.spilled ?? expect.unreachable();
    expect(note).toBe(
      `[Large result: ${characters} characters, 200 lines. The first 87 characters are shown. Call read_result with ` +
        `{"reference":"${reference}","offset":87} for more, or with a pattern to search it. It is kept for 60 minutes.]`,
    );
    expect(event.spilled).toMatchObject({ lines: 200, items: 0, bytes: expect.any(Number) });
    expect(expiresAt).toBeGreaterThan(Date.now() + 3_500_000);
    expect(event.spillError).toBeUndefined();
  });

  it('a result that fits is as without spill', async () => {
    for (const result of [
      long(1_000),
      text(''),
      { content: [] },
      { content: [], structuredContent: { a: 1 } },
    ]) {
      const { big } = spilling(result);
      const without = createTools(
        fakeHost([tool('big')], () => Promise.resolve(result)),
        { defaultPermission: 'allow' },
      );
      const { rendering } = await without.snapshot().run('mcp__s__big');
      expect(await big()).toEqual({ type: 'result', result, issues: [], rendering });
    }
  });

  it('text that is short once it is sanitized is shown whole', async () => {
    const { big } = spilling(text(`${'\u001b[31m'.repeat(50_000)}red`));
    expect((await big()).rendering).toEqual({
      parts: [{ type: 'text', text: 'red' }],
      text: 'red',
      isError: false,
    });
  });

  it('structured content and embedded resources are kept too', async () => {
    const { big, read } = spilling({
      content: [{ type: 'resource', resource: { uri: 'file:///log.txt', text: 'log line\n'.repeat(200) } }],
      structuredContent: { rows: Array.from({ length: 100 }, (_, id) => ({ id })) },
    });
    const { rendering } = await read({ reference: referenceOf(await big()) });
    expect(rendering.text).toContain('[resource file:///log.txt]\nlog line\n');
    expect(rendering.text).toContain('"id": 99');
  });

  it('a failed tool with a long message stays an error', async () => {
    const { big, read } = spilling({ ...long(), isError: true });
    const event = await big();
    expect(event.rendering.isError).toBe(true);
    const page = await read({ reference: referenceOf(event) });
    expect(page.rendering).toMatchObject({
      isError: false,
      text: expect.stringContaining('0123456789'.repeat(500)),
    });
  });

  it('what a store gives back is sanitized again', async () => {
    const memory = memorySpillStore();
    const store: SpillStore = {
      ...memory,
      async get(key) {
        const bytes = Buffer.from((await memory.get(key)) ?? []);
        return Buffer.from(bytes.toString('latin1').replaceAll('012', '\u001b[m'), 'latin1');
      },
    };
    const { big, read } = spilling(long(), { store });
    const { rendering } = await read({ reference: referenceOf(await big()), length: 20 });
    expect(textPart(rendering.parts[0])).toBe('34567893456789');
  });
});

describe('limits per tool', () => {
  const run = async (options: Partial<SpillOptions>, name = 'big', rendering = {}) => {
    const { tools } = spilling(long(5_000), options, { rendering });
    return tools.snapshot().run(`mcp__s__${name}`);
  };

  it('the first entry that matches server and tool applies', async () => {
    const perTool = [
      { server: 'other', maxCharacters: 1 },
      { tool: 'sm*', maxCharacters: 6_000 },
      { server: 's', tool: '*', maxCharacters: 2_000, previewCharacters: 40 },
    ];
    expect(await run({ perTool }, 'small')).not.toHaveProperty('spilled');
    const event = await run({ perTool });
    expect(textPart(event.rendering.parts[0])).toBe('0123456789'.repeat(4));
  });

  it('Infinity turns it off: the result is truncated as without spill', async () => {
    const event = await run({ perTool: [{ maxCharacters: Infinity }] }, 'big', { maxCharacters: 1_000 });
    expect(event).not.toHaveProperty('spilled');
    expect(event.rendering.text).toContain('[Truncated: ');
  });

  it('a limit beyond that of the rendering loses nothing', async () => {
    const event = await run({ maxCharacters: 50_000 }, 'big', { maxCharacters: 1_000 });
    expect(event).toHaveProperty('spilled');
    expect(event.rendering.text).not.toContain('[Truncated: ');
  });

  it.each([
    [{ maxCharacters: 0 }, 'maxCharacters'],
    [{ previewCharacters: -1 }, 'previewCharacters'],
    [{ pageCharacters: Number.NaN }, 'pageCharacters'],
    [{ pageCharacters: Infinity }, 'pageCharacters'],
    [{ ttlMs: 0 }, 'ttlMs'],
    [{ maxResultBytes: 0 }, 'maxResultBytes'],
    [{ perTool: [{}, { maxCharacters: 0 }] }, 'perTool[1].maxCharacters'],
    [{ images: { maxPixels: 0 } }, 'images.maxPixels'],
    [{ images: { maxEdge: -1 } }, 'images.maxEdge'],
    [{ images: { maxInputPixels: Number.NaN } }, 'images.maxInputPixels'],
  ])('%j is rejected', (options, name) => {
    expect(() => createSpill({ store: memorySpillStore(), ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(name) }),
    );
  });
});

describe('who can read a result', () => {
  const store = memorySpillStore();
  const host = () => fakeHost([tool('big')], () => Promise.resolve(long()));
  const open = { defaultPermission: 'allow' } as const;

  it('a reference leads nowhere in another conversation, for another person, or in another spill', async () => {
    const spill = createSpill({ store, maxCharacters: 1_000 });
    const mine = createTools(host(), { ...open, spill, principal: 'ada' });
    const reference = referenceOf(await mine.snapshot().run('mcp__s__big'));
    const others = [
      createTools(host(), { ...open, spill, principal: 'ada' }),
      createTools(host(), { ...open, spill, principal: 'bob' }),
      createTools(host(), { ...open, spill: spill.forConversation('c'), principal: 'ada' }),
      createTools(host(), { ...open, spill: createSpill({ store }), principal: 'ada' }),
    ];
    for (const tools of others) {
      const event = await tools.snapshot().run('read_result', { reference });
      expect(event).toMatchObject({ type: 'error', error: { code: 'RESULT_UNKNOWN' } });
      expect(event.rendering.text).toContain('expired, was removed, or belongs to another conversation');
    }
    expect((await mine.snapshot().run('read_result', { reference })).type).toBe('result');
  });

  it('a reference of one tools.conversation() leads nowhere in another, or without one', async () => {
    for (const defer of ['never', 'always'] as const) {
      const spill = createSpill({ store, maxCharacters: 1_000 });
      const tools = createTools(host(), { ...open, spill, defer });
      const [mine, other] = [tools.conversation(), tools.conversation()];
      const loaded = [{ name: 'mcp__s__big', server: 's', tool: 'big' }];
      for (const conversation of [mine, other]) conversation.load(loaded);
      const turns = [() => tools.snapshot(mine), () => tools.snapshot(other), () => tools.snapshot()];
      for (const [at, turn] of turns.entries()) {
        const reference = referenceOf(await turn().run('mcp__s__big'));
        const read = turns.map(async (each) => (await each().run('read_result', { reference })).type);
        expect(await Promise.all(read)).toEqual(turns.map((_, index) => (index === at ? 'result' : 'error')));
      }
    }
  });

  it('a saved conversation keeps its references, and a forged id without one leads nowhere', async () => {
    const tools = createTools(host(), { ...open, spill: createSpill({ store, maxCharacters: 1_000 }) });
    const mine = tools.conversation();
    const reference = referenceOf(await tools.snapshot(mine).run('mcp__s__big'));
    const read = async (saved: unknown) =>
      (await tools.snapshot(tools.conversation(saved)).run('read_result', { reference })).type;
    const saved = JSON.parse(JSON.stringify(mine)) as object;
    expect(await read(saved)).toBe('result');
    for (const id of ['', 'x', undefined, 7, 'x'.repeat(2_000)])
      expect(await read({ ...saved, id })).toBe('error');
    await tools.close();
    expect(await read(saved)).toBe('error');
  });

  it('a named conversation is one, whatever tools.conversation() it has', async () => {
    const spill = createSpill({ store, maxCharacters: 1_000 });
    const tools = createTools(host(), { ...open, spill: spill.forConversation('chat 3') });
    const reference = referenceOf(await tools.snapshot(tools.conversation()).run('mcp__s__big'));
    const event = await tools.snapshot(tools.conversation()).run('read_result', { reference });
    expect(event.type).toBe('result');
  });

  it('a named conversation keeps its references in later tools of the same person only', async () => {
    const spill = createSpill({ store, maxCharacters: 1_000 });
    const request = (principal: string | undefined, id = 'chat 1') =>
      createTools(host(), { ...open, spill: spill.forConversation(id), principal });
    const first = request('ada');
    const reference = referenceOf(await first.snapshot().run('mcp__s__big'));
    await first.close();
    const read = async (tools: ReturnType<typeof request>) =>
      (await tools.snapshot().run('read_result', { reference })).type;
    expect(await read(request('ada'))).toBe('result');
    expect(await read(request('bob'))).toBe('error');
    expect(await read(request(undefined))).toBe('error');
    expect(await read(request('ada', 'chat 2'))).toBe('error');
  });

  it('references have 128 random bits, and other texts lead nowhere', async () => {
    const { big, read } = spilling(long());
    const references = await Promise.all(Array.from({ length: 20 }, async () => referenceOf(await big())));
    expect(new Set(references).size).toBe(20);
    for (const reference of references) expect(reference).toMatch(/^r_[\w-]{22}$/);
    for (const reference of ['', '../../etc/passwd', `${references[0] ?? ''} `, 'x'.repeat(100_000)])
      expect(await read({ reference })).toMatchObject({ type: 'error', error: { code: 'RESULT_UNKNOWN' } });
  });

  it('the keys of a store are hashes, so that listing them gives no access', async () => {
    const keys: string[] = [];
    const memory = memorySpillStore();
    const { big } = spilling(long(), {
      store: { ...memory, put: (key, ...rest) => (keys.push(key), memory.put(key, ...rest)) },
    });
    const reference = referenceOf(await big());
    expect(keys).toEqual([expect.stringMatching(/^[\da-f]{64}$/)]);
    expect(keys[0]).not.toContain(reference.slice(2));
  });
});

describe('how long a result is kept', () => {
  it('until its time is up', async () => {
    const clock = createManualClock();
    const { big, read } = spilling(long(), { clock, ttlMs: 120_000, store: memorySpillStore({ clock }) });
    const event = await big();
    expect(event.rendering.text).toContain('It is kept for 2 minutes.');
    const reference = referenceOf(event);
    await clock.advance(119_999);
    expect((await read({ reference })).type).toBe('result');
    await clock.advance(1);
    expect(await read({ reference })).toMatchObject({ type: 'error', error: { code: 'RESULT_UNKNOWN' } });
  });

  it('the tools remember no result that has expired', async () => {
    const clock = createManualClock();
    const deleted: string[] = [];
    const store: SpillStore = {
      put: async () => undefined,
      get: async () => undefined,
      delete: async (key) => void deleted.push(key),
    };
    const { big, tools } = spilling(long(), { clock, ttlMs: 1_000, store });
    for (let count = 0; count < 10; count++) {
      await big();
      await clock.advance(400);
    }
    await tools.close();
    expect(deleted).toHaveLength(3);
  });

  it('close() of the tools resolves when the store has removed it', async () => {
    const clock = createManualClock();
    const memory = memorySpillStore({ clock });
    const kept = new Set<string>();
    const store: SpillStore = {
      ...memory,
      put: (key, ...rest) => (kept.add(key), memory.put(key, ...rest)),
      async delete(key) {
        await memory.delete(key);
        await setImmediate();
        kept.delete(key);
      },
    };
    const { big, tools } = spilling(long(), { store });
    await big();
    expect(kept.size).toBe(1);
    await tools.close();
    expect(kept.size).toBe(0);
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
  });
});

describe('a store that fails', () => {
  const failing = (error: Error): SpillStore => ({
    ...memorySpillStore(),
    put: () => Promise.reject(error),
  });

  it('the result is truncated for the model and whole in the event, with the reason', async () => {
    const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const { big } = spilling(long(), { store: failing(cause) });
    const event = await big();
    if (event.type !== 'result') return expect.unreachable();
    expect(event.result).toEqual(long());
    expect(event.spilled).toBeUndefined();
    expect(event.spillError).toMatchObject({
      code: 'SPILL_FAILED',
      cause,
      retryable: true,
      message: 'Could not keep a large result. The disk is full. (ENOSPC)',
      details: { systemCode: 'ENOSPC' },
    });
    expect(event.rendering.parts.map(textPart)).toEqual([
      '0123456789'.repeat(100),
      '[The whole result could not be kept, so that the rest of it cannot be read. ' +
        'At most the first 1000 characters are shown. Request less data.]',
    ]);
  });

  it('a result beyond maxResultBytes is not kept', async () => {
    for (const result of [long(9_000), { content: [], structuredContent: { a: 'x'.repeat(9_000) } }]) {
      const { big } = spilling(result, { maxResultBytes: 8_000 });
      const event = await big();
      expect(event).toMatchObject({ type: 'result', spillError: { code: 'SPILL_FAILED', retryable: false } });
      expect(event.rendering.text.length).toBeLessThan(1_200);
    }
  });

  it('a store that breaks its contract is an error, not wrong text', async () => {
    const memory = memorySpillStore();
    for (const get of [
      () => Promise.resolve(Buffer.from('xx')),
      () => Promise.resolve(Buffer.from('{}')),
      () => Promise.resolve(Buffer.from('{"bytes":4,"items":[]}\ntex')),
      () => Promise.resolve(Buffer.from('{"bytes":0,"items":[{"type":"image","mimeType":1,"data":""}]}\n')),
      async (key: string) => (await memory.get(key))?.subarray(0, 4_200),
      () => Promise.reject(new Error('lost')),
    ]) {
      const { big, read } = spilling(long(9_000), { store: { ...memory, get } });
      const event = await read({ reference: referenceOf(await big()) });
      expect(event).toMatchObject({ type: 'error', error: { code: 'SPILL_FAILED' } });
    }
  });

  it('an aborted call ends as one', async () => {
    const controller = new AbortController();
    const { tools } = spilling(long(), {
      store: { ...memorySpillStore(), put: () => (controller.abort(), Promise.reject(new Error('stopped'))) },
    });
    const event = await tools.snapshot().run('mcp__s__big', {}, { signal: controller.signal });
    expect(event).toMatchObject({ type: 'error', error: { code: 'ABORTED' } });
  });
});

describe('the tool read_result', () => {
  it('is in every turn with the same texts, and not without spill', async () => {
    const { tools, big } = spilling(long());
    const before = JSON.stringify(anthropicTools(tools.snapshot().tools));
    await big();
    expect(JSON.stringify(anthropicTools(tools.snapshot().tools))).toBe(before);
    expect(tools.snapshot().tools.map(({ name }) => name)).toEqual([
      'read_result',
      'mcp__s__big',
      'mcp__s__small',
    ]);
    expect(tools.snapshot().tools[0]).toBe(tools.snapshot().tools[0]);
    const without = createTools(fakeHost([tool('big')]));
    expect(without.snapshot().tools.map(({ name }) => name)).toEqual(['mcp__s__big']);
    expect(await without.snapshot().run('read_result', { reference: 'r_' })).toMatchObject({
      error: { code: 'TOOL_UNKNOWN' },
    });
  });

  it('stays first, and reads the results of deferred tools', async () => {
    const { tools } = spilling(long(), {}, { defer: 'always' });
    const conversation = tools.conversation();
    const turn = tools.snapshot(conversation);
    const names = (): string[] => turn.activeTools().map(({ name }) => name);
    expect(names()).toEqual(['read_result', 'tool_search']);
    await turn.run('tool_search', { query: 'select:mcp__s__small,mcp__s__big' });
    expect(names()).toEqual(['read_result', 'tool_search', 'mcp__s__small', 'mcp__s__big']);
    expect(tools.snapshot(conversation).tools.map(({ name }) => name)).toEqual(names());
    const event = await turn.run('mcp__s__big');
    const page = await turn.run('read_result', { reference: referenceOf(event), offset: -100 });
    expect(page.rendering.text).toContain('This is the end');
    const found = await turn.run('tool_search', { query: 'select:read_result' });
    expect(found.rendering.text).not.toContain('Loaded');
  });

  it('is not pinned: it belongs to this package and to no server', async () => {
    const store = memoryPinStore();
    const { tools, big } = spilling(
      long(),
      {},
      { pins: createToolPins({ store, identify: (server) => `id of ${server}` }) },
    );
    const reference = referenceOf(await big());
    const page = await tools.snapshot().run('read_result', { reference, offset: -100 });
    expect(page.rendering.text).toContain('This is the end');
    expect(JSON.stringify(store)).toContain('"big"');
    expect(JSON.stringify(store)).not.toContain('read_result');
  });

  it('a tool of a server with its name keeps the name', async () => {
    const host = fakeHost([tool('read_result'), tool('READ_RESULT_2')], () => Promise.resolve(long()));
    const spill = createSpill({ store: memorySpillStore(), maxCharacters: 1_000 });
    const tools = createTools(host, { naming: naming.bare, defaultPermission: 'allow', spill });
    const turn = tools.snapshot();
    expect(turn.tools.map(({ name }) => name)).toContain('read_result_3');
    const event = await turn.run('read_result');
    expect(host.calls).toHaveLength(1);
    expect(event.rendering.text).toContain('Call read_result_3 with');
    const page = await turn.run('read_result_3', { reference: referenceOf(event) });
    expect(page.rendering.text).toContain('This is the end');
    expect(host.calls).toHaveLength(1);
  });

  it('needs no permission: it reads what the model was given', async () => {
    const { tools, big } = spilling(
      long(),
      {},
      {
        policy: createToolPolicy({ servers: { s: { allowedTools: ['big'], deniedTools: ['read_result'] } } }),
        defaultPermission: 'deny',
        skipDenied: true,
      },
    );
    const event = await tools.snapshot().run('read_result', { reference: referenceOf(await big()) });
    expect(event.type).toBe('result');
  });

  it.each([
    [{}, 'reference'],
    [{ reference: 1 }, 'reference'],
    [{ reference: 'r', offset: 1.5 }, 'offset'],
    [{ reference: 'r', offset: 'x' }, 'offset'],
    [{ reference: 'r', line: 0 }, 'line'],
    [{ reference: 'r', length: -1 }, 'length'],
    [{ reference: 'r', pattern: '' }, 'pattern'],
    [{ reference: 'r', item: 0 }, 'item'],
  ])('invalid arguments are an error that names them: %j', async (args, name) => {
    for (const validateArguments of [true, false]) {
      const { read } = spilling(long(), {}, { validateArguments });
      const event = await read(args);
      expect(event).toMatchObject({ type: 'error', error: { code: 'ARGUMENTS_INVALID' } });
      expect(event.rendering.text).toContain(name);
    }
  });
});
