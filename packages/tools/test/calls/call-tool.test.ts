import { FittingsError } from '@mcp-fittings/client-core';
import type { CatalogTool, Progress, ToolResult } from '@mcp-fittings/host';
import { describe, expect, it } from 'vitest';
import type { ConfirmRequest } from '../../src/calls/confirm-call.js';
import type { ToolEvent } from '../../src/calls/toolset.js';
import { createTools, type ToolsOptions } from '../../src/create-tools.js';
import { fakeHost, text, tool, type FakeHost } from '../support/fake-host.js';

const open: ToolsOptions = { defaultPermission: 'allow' };

async function collect(events: AsyncIterable<ToolEvent>): Promise<ToolEvent[]> {
  const all: ToolEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function call(
  host: FakeHost,
  name: string,
  args?: unknown,
  options: ToolsOptions = open,
): Promise<ToolEvent[]> {
  await using tools = createTools(host, options);
  return collect(tools.snapshot().call(name, args));
}

/** The last event, which must be an error. */
function errorOf(events: readonly ToolEvent[]): FittingsError {
  const last = events.at(-1);
  if (last?.type !== 'error') throw new Error(`no error but ${JSON.stringify(last)}`);
  expect(last.rendering.isError).toBe(true);
  expect(last.rendering.text).toContain(last.error.message.slice(0, 20));
  return last.error;
}

describe('a call as events', () => {
  it('ends with the raw result and its rendering', async () => {
    const host = fakeHost([tool('echo')], (args) => Promise.resolve(text(`said ${JSON.stringify(args)}`)));
    const events = await call(host, 'mcp__s__echo', { message: 'hi' });
    expect(events).toMatchObject([
      { type: 'result', issues: [], rendering: { text: 'said {"message":"hi"}', isError: false } },
    ]);
    expect(host.calls).toEqual([{ ref: { server: 's', tool: 'echo' }, args: { message: 'hi' } }]);
  });

  it('reports progress and partial text before the result', async () => {
    const host = fakeHost([tool('slow')], async (_, { onProgress }) => {
      onProgress?.({ progress: 1, total: 2 });
      await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      onProgress?.({ progress: 2, total: 2, message: 'half\u001b[2J done' });
      return text('done');
    });
    const events = await call(host, 'mcp__s__slow');
    expect(events.map(({ type }) => type)).toEqual(['progress', 'partial', 'progress', 'result']);
    expect(events[0]).toEqual({ type: 'progress', progress: 1, total: 2 });
    expect(events[1]).toEqual({ type: 'partial', text: 'half done' });
  });

  it('a flood of progress is bounded: the latest number, the last hundred texts', async () => {
    const host = fakeHost([tool('flood')], async (_, { onProgress }) => {
      for (let progress = 1; progress <= 100_000; progress++) {
        onProgress?.({ progress, ...(progress % 10 === 0 && { message: `step ${progress}` }) });
      }
      onProgress?.({ progress: Number.NaN } satisfies Progress);
      await new Promise((resolve) => setImmediate(resolve));
      return text('done');
    });
    const events = await call(host, 'mcp__s__flood');
    expect(events).toHaveLength(102);
    expect(events[0]).toEqual({ type: 'partial', text: 'step 99010' });
    expect(events[100]).toEqual({ type: 'progress', progress: 100_000 });
  });

  it('a failure of the tool is a result, a failure of the call an error', async () => {
    const failed: ToolResult = { ...text('no such file'), isError: true };
    const own = await call(
      fakeHost([tool('x')], () => Promise.resolve(failed)),
      'mcp__s__x',
    );
    expect(own).toMatchObject([{ type: 'result', rendering: { isError: true, text: 'no such file' } }]);

    const lost = new FittingsError('CONNECTION_LOST', 'The connection ended.', { delivery: 'unknown' });
    expect(
      errorOf(
        await call(
          fakeHost([tool('x')], () => Promise.reject(lost)),
          'mcp__s__x',
        ),
      ),
    ).toBe(lost);

    const strange = await call(
      fakeHost([tool('x')], () => Promise.reject(new TypeError('oops'))),
      'mcp__s__x',
    );
    expect(errorOf(strange)).toMatchObject({ code: 'CALLBACK_FAILED', cause: expect.any(TypeError) });

    const thrower = fakeHost([tool('x')], () => {
      throw new RangeError('at once');
    });
    expect(errorOf(await call(thrower, 'mcp__s__x')).code).toBe('CALLBACK_FAILED');
  });

  it('starts when the first event is requested', async () => {
    const host = fakeHost([tool('x')]);
    await using tools = createTools(host, open);
    tools.snapshot().call('mcp__s__x');
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.calls).toEqual([]);
  });

  it('leaving the loop aborts the call, and a later rejection is handled', async () => {
    let signal: AbortSignal | undefined;
    const host = fakeHost([tool('x')], (_, options) => {
      signal = options.signal;
      options.onProgress?.({ progress: 1 });
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('late'))),
      );
    });
    await using tools = createTools(host, open);
    for await (const event of tools.snapshot().call('mcp__s__x')) {
      expect(event.type).toBe('progress');
      break;
    }
    expect(signal?.aborted).toBe(true);
  });

  it('the signal of the caller aborts the call, before it starts and while it runs', async () => {
    const host = fakeHost(
      [tool('x')],
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        ),
    );
    await using tools = createTools(host, open);
    const abort = new AbortController();
    const running = collect(tools.snapshot().call('mcp__s__x', {}, { signal: abort.signal }));
    setImmediate(() => abort.abort('enough'));
    expect(errorOf(await running)).toMatchObject({ code: 'ABORTED', cause: 'enough', delivery: 'unknown' });

    const before = await collect(tools.snapshot().call('mcp__s__x', {}, { signal: AbortSignal.abort() }));
    expect(errorOf(before)).toMatchObject({ code: 'ABORTED', delivery: 'not-sent' });
    expect(host.calls).toHaveLength(1);
  });
});

describe('names and arguments', () => {
  const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const host = (): FakeHost => fakeHost([tool('read_file', { inputSchema: schema }), tool('write_file')]);

  it('an unknown name is an error that suggests the nearest names', async () => {
    expect(errorOf(await call(host(), 'mcp__s__read_fil'))).toMatchObject({
      code: 'TOOL_UNKNOWN',
      message: 'There is no tool named "mcp__s__read_fil".',
      hint: 'Did you mean "mcp__s__read_file" or "mcp__s__write_file"?',
      delivery: 'not-sent',
    });
    expect(errorOf(await call(host(), 'read_file')).hint).toContain('"mcp__s__read_file"');
    expect(errorOf(await call(host(), 'weather')).hint).toBeUndefined();
    expect(errorOf(await call(host(), '\u001b[2J'.repeat(10_000))).message).toBe(
      'There is no tool named "…".',
    );
  });

  it('arguments are checked before they are sent', async () => {
    const checked = host();
    expect(errorOf(await call(checked, 'mcp__s__read_file', { path: 5 }))).toMatchObject({
      code: 'ARGUMENTS_INVALID',
      message: expect.stringContaining('path: Invalid input: expected string, received number'),
      server: 's',
      delivery: 'not-sent',
    });
    for (const args of [[], 'path', 5, { path: undefined }, undefined]) {
      expect(errorOf(await call(checked, 'mcp__s__read_file', args)).code).toBe('ARGUMENTS_INVALID');
    }
    expect(checked.calls).toEqual([]);
    expect((await call(checked, 'mcp__s__write_file')).at(-1)?.type).toBe('result');
  });

  it('validateArguments: false sends them unchecked', async () => {
    const unchecked = host();
    await call(unchecked, 'mcp__s__read_file', { path: 5 }, { ...open, validateArguments: false });
    expect(unchecked.calls).toHaveLength(1);
  });

  it('sends the arguments unchanged: no default is added, no member is removed', async () => {
    const withDefault = { type: 'object', properties: { a: { type: 'string', default: 'x' } } };
    const plain = fakeHost([tool('t', { inputSchema: withDefault })]);
    await call(plain, 'mcp__s__t', { other: [1] });
    expect(plain.calls[0]?.args).toEqual({ other: [1] });
  });

  it('structured content that does not match its schema is reported and delivered', async () => {
    const described = tool('t', { outputSchema: { type: 'object', properties: { n: { type: 'number' } } } });
    const answers: readonly [unknown, readonly unknown[]][] = [
      [{ n: 1 }, []],
      [{ n: 'x' }, [{ path: ['n'], message: expect.stringContaining('expected number') }]],
      [undefined, [{ path: [], message: expect.stringContaining('no structured content') }]],
    ];
    for (const [structuredContent, issues] of answers) {
      const answering = fakeHost([described], () => Promise.resolve({ content: [], structuredContent }));
      expect(await call(answering, 'mcp__s__t')).toMatchObject([{ type: 'result', issues }]);
    }
  });
});

describe('permissions', () => {
  const asked: ConfirmRequest[] = [];
  const confirm = (outcome: 'once' | 'always-tool' | 'cancel') => (request: ConfirmRequest) => {
    asked.push(request);
    return Promise.resolve(outcome);
  };

  it('a tool does not run without a rule or a user', async () => {
    const host = fakeHost([tool('x')]);
    expect(errorOf(await call(host, 'mcp__s__x', {}, {}))).toMatchObject({
      code: 'APPROVAL_REQUIRED',
      delivery: 'not-sent',
    });
    expect(errorOf(await call(host, 'mcp__s__x', {}, { defaultPermission: 'deny' })).code).toBe(
      'POLICY_DENIED',
    );
    expect(host.calls).toEqual([]);
  });

  it('the question shows the reason and the escaped arguments', async () => {
    const host = fakeHost([tool('x', { title: 'Ti\u202etle' })]);
    asked.length = 0;
    await call(
      host,
      'mcp__s__x',
      { a: '\u001b[2J\u202e', big: 'y'.repeat(50_000) },
      { confirm: confirm('once') },
    );
    expect(asked).toHaveLength(1);
    expect(asked[0]?.tool.title).toBe('Title');
    expect(asked[0]?.argsText.length).toBeLessThanOrEqual(10_000);
    expect(asked[0]?.argsText).not.toMatch(/[^\P{C}\n\t]/u);
    expect(asked[0]?.args['a']).toBe('\u001b[2J\u202e');
    expect(asked[0]?.verdict).toMatchObject({ decision: 'pass-through', reason: expect.any(String) });
  });

  it('a permanent approval is not asked for again, and "cancel" is an error', async () => {
    const host = fakeHost([tool('x')]);
    asked.length = 0;
    await using tools = createTools(host, { confirm: confirm('always-tool') });
    for (let times = 0; times < 2; times++) await collect(tools.snapshot().call('mcp__s__x'));
    expect(asked).toHaveLength(1);
    expect(tools.policy.approvals.toJSON().tools).toEqual([
      { server: 'identity of s', tool: 'x', digest: 'digest of x' },
    ]);
    const refused = await call(host, 'mcp__s__x', {}, { confirm: confirm('cancel') });
    expect(errorOf(refused)).toMatchObject({ code: 'POLICY_DENIED', delivery: 'not-sent' });
    expect(host.calls).toHaveLength(2);
  });

  it('invalid arguments are rejected without a question', async () => {
    const host = fakeHost([tool('x', { inputSchema: { type: 'object', required: ['a'] } })]);
    asked.length = 0;
    await call(host, 'mcp__s__x', {}, { confirm: confirm('once') });
    expect(asked).toEqual([]);
  });

  it('a question that throws or never ends affects only this call', async () => {
    const host = fakeHost([tool('x')]);
    const broken = await call(
      host,
      'mcp__s__x',
      {},
      { confirm: () => Promise.reject(new Error('no terminal')) },
    );
    expect(errorOf(broken)).toMatchObject({ code: 'CALLBACK_FAILED', delivery: 'not-sent' });

    let given: AbortSignal | undefined;
    await using tools = createTools(host, {
      confirm: ({ signal }) => {
        given = signal;
        return new Promise(() => undefined);
      },
    });
    const abort = new AbortController();
    const waiting = collect(tools.snapshot().call('mcp__s__x', {}, { signal: abort.signal }));
    setImmediate(() => abort.abort());
    expect(errorOf(await waiting)).toMatchObject({ code: 'ABORTED', delivery: 'not-sent' });
    expect(given?.aborted).toBe(true);
    expect(host.calls).toEqual([]);
  });
});

describe('toolsets', () => {
  it('a tool whose schema is rejected is skipped with the reason, and the others stay', async () => {
    const huge = { enum: Array.from({ length: 5_001 }, String) };
    const host = fakeHost([
      tool('good'),
      tool('bad', { inputSchema: huge }),
      tool('bad_output', { outputSchema: huge }),
      tool('good', { digest: 'another' }),
    ]);
    await using tools = createTools(host);
    const { tools: offered, skipped } = tools.snapshot();
    expect(offered.map(({ name }) => name)).toEqual(['mcp__s__good']);
    expect(skipped).toMatchObject([
      { ref: { server: 's', tool: 'bad' }, error: { code: 'SCHEMA_REFUSED' } },
      { ref: { server: 's', tool: 'bad_output' }, error: { code: 'SCHEMA_REFUSED' } },
      { ref: { server: 's', tool: 'good' }, error: { code: 'PROTOCOL_VIOLATION' } },
    ]);
  });

  it('a name means the same as long as the toolset is used', async () => {
    const status = (server: string): CatalogTool => tool('status', { server });
    const host = fakeHost([status('git')]);
    await using tools = createTools(host, { ...open, naming: ({ tool: name }) => name });
    const before = tools.snapshot();
    host.catalog = [status('evil')];
    await collect(before.call('status'));
    expect(host.calls[0]?.ref.server).toBe('git');
    await collect(tools.snapshot().call('status'));
    expect(host.calls[1]?.ref.server).toBe('evil');
  });

  it('the order of the tools does not depend on which server came first', async () => {
    const catalog = [tool('b'), tool('a'), tool('a', { server: 'r' })];
    const namesOf = (some: readonly CatalogTool[]): readonly string[] =>
      createTools(fakeHost(some))
        .snapshot()
        .tools.map(({ name }) => name);
    expect(namesOf(catalog)).toEqual(['mcp__r__a', 'mcp__s__a', 'mcp__s__b']);
    expect(namesOf(catalog.toReversed())).toEqual(namesOf(catalog));
  });

  it('an unchanged tool is converted once, a changed one again', async () => {
    const host = fakeHost([tool('a'), tool('b')]);
    await using tools = createTools(host);
    const first = tools.snapshot().tools;
    host.catalog = [tool('a'), tool('b', { digest: 'new' })];
    const second = tools.snapshot().tools;
    expect(second[0]).toBe(first[0]);
    expect(second[0]?.input).toBe(first[0]?.input);
    expect(second[1]?.input).not.toBe(first[1]?.input);
  });

  it('texts for the model and the user are sanitized, and the raw definition is unchanged', async () => {
    const host = fakeHost([
      tool('x', {
        title: 'Ti\u001b[2Jtle\nsecond line',
        description: `Line one\n\u202eline two\u200b ${'x'.repeat(20_000)}`,
        inputSchema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          properties: { description: { type: 'string', description: 'A\u001b]8;;evil\u0007 text' } },
        },
        annotations: { readOnlyHint: true, openWorldHint: false },
      }),
      tool('y', { title: ' ', annotations: { title: 'From annotations' } }),
      tool('z\u0000'),
    ]);
    await using tools = createTools(host);
    const [x, y, z] = tools.snapshot().tools;
    expect(x?.title).toBe('Title second line');
    expect(x?.description).toMatch(/^Line one\nline two x+…$/);
    expect(x?.description).toHaveLength(10_000);
    expect(x?.inputSchema).toEqual({
      type: 'object',
      properties: { description: { type: 'string', description: 'A text' } },
    });
    expect(x?.traits).toEqual({
      isReadOnly: true,
      isDestructive: false,
      isIdempotent: true,
      isOpenWorld: false,
    });
    expect(x?.definition.title).toContain('\u001b');
    expect(y).toMatchObject({ title: 'From annotations', description: 'From annotations' });
    expect(y?.traits).toEqual({
      isReadOnly: false,
      isDestructive: true,
      isIdempotent: false,
      isOpenWorld: true,
    });
    expect(z).toMatchObject({ title: 'z', name: 'mcp__s__z_' });
  });
});
