import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AdapterDriver, ModelResult, RunReport, ScriptedCall } from './driver.js';
import { createWorld, type LogEntry, type World } from './world.js';

const LONG_NAME = `reports/${'quarterly-'.repeat(9)}näme`;

/** The 30 cases that hold for every adapter, with the real framework and two real servers. */
export function describeAdapter(driver: AdapterDriver): void {
  describe(driver.framework, () => {
    /** For cases that change nothing; the others have a world of their own. */
    let shared: World;
    beforeAll(async () => {
      shared = await createWorld(driver);
    });
    afterAll(() => shared[Symbol.asyncDispose]());

    const run = (...calls: readonly ScriptedCall[]): Promise<RunReport> => shared.agent.run(calls);
    const resultOf = async (tool: string, args: unknown = {}): Promise<ModelResult> => {
      const { results, error } = await run({ tool, args });
      if (error !== undefined) throw error;
      expect(results).toHaveLength(1);
      return results[0]!;
    };
    /** What both the program and the model learn about a call that failed. */
    const failureOf = async (
      tool: string,
      args: unknown = {},
      world = shared,
    ): Promise<ModelResult & { readonly code?: string; readonly delivery?: string | undefined }> => {
      const { results, failures, error } = await world.agent.run([{ tool, args }]);
      if (error !== undefined) throw error;
      expect(results[0]?.isError ?? true).toBe(true);
      return { ...results[0]!, ...failures[0] };
    };
    const schemaOf = async (tool: string): Promise<unknown> =>
      (await run()).offered.find(({ name }) => name === tool)?.schema;

    describe('names', () => {
      it('1: offers every tool of every server under a unique name that model APIs accept', async () => {
        const { offered } = await run();
        const names = offered.map(({ name }) => name);
        expect(names).toHaveLength(shared.host.tools().length);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(offered.find(({ name }) => name === 'mcp__one__echo')?.description).toBe(
          'Says the text again.',
        );
      });

      it('2: calls the right server if two servers have a tool of the same name', async () => {
        const { results } = await run({ tool: 'mcp__two__who' }, { tool: 'mcp__one__who' });
        expect(results.map(({ text }) => text)).toEqual(['I am two.', 'I am one.']);
      });

      it('3: shortens a name that model APIs do not accept, and calls the tool by its own name', async () => {
        expect(shared.host.tools().map(({ name }) => name)).toContain(LONG_NAME);
        const { offered } = await run();
        const [short] = offered.filter(({ name }) => name.startsWith('mcp__one__reports'));
        expect(short?.name.length).toBeLessThanOrEqual(64);
        expect((await resultOf(short?.name ?? '')).text).toBe('The long report.');
      });

      it('4: a call of an unknown tool reaches no server', async () => {
        const before = (await shared.log()).length;
        const { results, error } = await run({ tool: 'mcp__one__nothing' });
        if (driver.differs.unknownTool === 'the run fails') expect(error).toBeInstanceOf(Error);
        else expect(results[0]?.text).toContain('mcp__one__nothing');
        expect(await shared.log()).toHaveLength(before);
      });
    });

    describe('schemas and arguments', () => {
      it('5: the model is shown types, descriptions and required properties', async () => {
        expect(await schemaOf('mcp__one__echo')).toMatchObject({
          type: 'object',
          properties: { text: { type: 'string', description: 'What to say' } },
          required: ['text'],
        });
        expect((await resultOf('mcp__one__echo', { text: 'hi' })).text).toBe('Echo: hi');
      });

      it('6: a tool without properties is called without arguments', async () => {
        expect(await schemaOf('mcp__one__now')).toMatchObject({ type: 'object', properties: {} });
        expect((await resultOf('mcp__one__now')).text).toBe('No arguments needed.');
      });

      it('7: a schema that a model API would reject is repaired', async () => {
        expect(await schemaOf('mcp__one__rows')).toMatchObject({
          properties: { rows: { type: 'array', items: {} } },
        });
        expect((await resultOf('mcp__one__rows', { rows: [1, 'two'] })).text).toBe('2 rows');
      });

      it('8: a property has a name that model APIs accept; the server gets its own name', async () => {
        const schema = (await schemaOf('mcp__one__filter')) as { readonly properties: object };
        const [alias = ''] = Object.keys(schema.properties);
        expect(alias).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
        expect(JSON.parse((await resultOf('mcp__one__filter', { [alias]: 'x' })).text)).toEqual({
          '$filter by!': 'x',
        });
      });

      it('9: invalid arguments are an error that says where; the server is not called', async () => {
        const before = (await shared.log()).length;
        const failure = await failureOf('mcp__one__add', { a: 'forty', b: 2 });
        expect(failure.text).toMatch(/invalid: a: .*number/);
        expect(failure).toMatchObject({ code: 'ARGUMENTS_INVALID', delivery: 'not-sent' });
        expect(await shared.log()).toHaveLength(before);
      });
    });

    describe('results', () => {
      it('10: the calls of one turn run at once, and each result belongs to its call', async () => {
        const calls = [1, 2, 3, 4].map((a) => ({ tool: 'mcp__one__add', args: { a, b: 10 } }));
        const { results } = await run(...calls);
        expect(results.map(({ text }) => text)).toEqual(['Sum: 11', 'Sum: 12', 'Sum: 13', 'Sum: 14']);
      });

      it('11: text, embedded text and links stay in order', async () => {
        const { text } = await resultOf('mcp__one__blocks');
        expect(text).toMatch(/^first[\s\S]*embedded notes[\s\S]*file:\/\/\/more\.txt[\s\S]*last$/);
      });

      it('12: structured content without text reaches the model as JSON', async () => {
        expect(JSON.parse((await resultOf('mcp__one__structured')).text)).toEqual({ celsius: 21 });
      });

      it('13: an image reaches the model as an image', async () => {
        const { text, images } = await resultOf('mcp__one__image');
        expect(text).toBe('A picture:');
        expect(images).toEqual([expect.stringMatching(/^data:image\/png;base64,iVBOR/)]);
      });

      it('14: an image whose data do not match its type is described in text', async () => {
        const { text, images } = await resultOf('mcp__one__falseimage');
        expect(images).toEqual([]);
        expect(text).toContain('image/png');
      });

      it('15: a big result is cut, and the model is told', async () => {
        const { text } = await resultOf('mcp__one__big');
        expect(text.length).toBeLessThanOrEqual(100_000);
        expect(text).toMatch(/^start x+/);
        expect(text).toMatch(/not shown|omitted|truncated/i);
      });

      it('16: an empty result is not empty for the model', async () => {
        expect((await resultOf('mcp__one__empty')).text).not.toBe('');
      });
    });

    describe('errors', () => {
      it('17: a failure of the tool (isError) reaches the model as a failure with its text', async () => {
        const failure = await failureOf('mcp__one__fail');
        expect(failure.text).toContain('The disk is full.');
      });

      it('18: a JSON-RPC error reaches the model, and its code the program', async () => {
        const failure = await failureOf('mcp__one__refuse');
        expect(failure.text).toContain('The quota is used up');
        expect(failure).toMatchObject({ code: 'RPC_ERROR', delivery: 'unknown' });
      });

      it('19: a denied tool does not run', async () => {
        const before = (await shared.log()).length;
        expect(await failureOf('mcp__one__denied')).toMatchObject({
          code: 'POLICY_DENIED',
          delivery: 'not-sent',
        });
        expect(await shared.log()).toHaveLength(before);
      });

      it('20: a server that dies in mid-call is an error of that call alone, with unknown delivery', async () => {
        await using world = await createWorld(driver);
        const { results, failures } = await world.agent.run([
          { tool: 'mcp__one__die' },
          { tool: 'mcp__two__echo', args: { text: 'still here' } },
        ]);
        expect(failures).toEqual([expect.objectContaining({ delivery: 'unknown' })]);
        expect(results[1]?.text).toBe('Echo: still here');
      });

      it('21: a call that takes too long is an error', async () => {
        await using world = await createWorld(driver, { timeoutMs: 100 });
        expect(await failureOf('mcp__one__hang', {}, world)).toMatchObject({
          code: 'TIMEOUT',
          delivery: 'unknown',
        });
      });
    });

    describe('during a call', () => {
      it('22: cancelling the run cancels the call on the server', async () => {
        await using world = await createWorld(driver);
        const abort = new AbortController();
        const running = world.agent.run([{ tool: 'mcp__one__hang' }], { signal: abort.signal });
        const logs = (entry: LogEntry): Promise<void> =>
          vi.waitFor(async () => expect(await world.log()).toContainEqual(entry), 20_000);
        await logs({ called: 'hang' });
        abort.abort();
        await running;
        await logs({ cancelled: 'hang' });
      });

      it('23: progress and its messages reach the program', async () => {
        const { progress, results } = await run({ tool: 'mcp__one__steps' });
        expect(progress).toContain('Step 3');
        expect(progress).toContain('3/3');
        expect(results[0]?.text).toBe('All steps done.');
      });

      it('24: a question of the server reaches the user, and the answer the server', async () => {
        expect((await resultOf('mcp__one__ask')).text).toBe('accept: Ann');
      });
    });

    describe('approval', () => {
      it('25: a call that needs approval asks once, and runs if the user agrees', async () => {
        await using world = await createWorld(driver);
        const { results } = await world.agent.run([{ tool: 'mcp__one__guarded' }]);
        expect(world.questions).toHaveLength(1);
        expect(results.map(({ text }) => text)).toEqual(['The guarded tool ran.']);
      });

      it('26: it does not run if the user declines, and the model is told', async () => {
        await using world = await createWorld(driver);
        world.answer = async () => false;
        const { results } = await world.agent.run([{ tool: 'mcp__one__guarded' }]);
        expect(world.questions).toHaveLength(1);
        expect(results).toHaveLength(1);
        expect(results[0]?.text).not.toContain('ran');
        expect(await world.log()).toEqual([]);
      });

      it('27: it does not run if the tool changed while the question was open', async () => {
        await using world = await createWorld(driver);
        world.answer = async () => {
          const changed = nextEvent(world, 'toolsChanged');
          await world.host.callTool({ server: 'one', tool: 'change' });
          await changed;
          return true;
        };
        const { results, failures } = await world.agent.run([{ tool: 'mcp__one__guarded' }]);
        expect(results[0]?.text).toContain('changed while the question was open');
        expect(failures).toMatchObject([{ code: 'APPROVAL_REQUIRED', delivery: 'not-sent' }]);
        expect(await world.log()).not.toContainEqual({ called: 'guarded' });
      });
    });

    describe('the next turn', () => {
      it('28: has a tool that the server added', async () => {
        await using world = await createWorld(driver);
        expect((await world.agent.run([])).offered.map(({ name }) => name)).not.toContain('mcp__one__grown');
        const changed = nextEvent(world, 'toolsChanged');
        await world.agent.run([{ tool: 'mcp__one__grow' }]);
        await changed;
        const { offered, results } = await world.agent.run([{ tool: 'mcp__one__grown' }]);
        expect(offered.map(({ name }) => name)).toContain('mcp__one__grown');
        expect(results[0]?.text).toBe('I am new.');
      });

      it('29: reaches a server that had died, as soon as it is reconnected', async () => {
        await using world = await createWorld(driver);
        await world.agent.run([{ tool: 'mcp__one__die' }]);
        const { results } = await world.agent.run([{ tool: 'mcp__one__echo', args: { text: 'back' } }]);
        expect(results[0]?.text).toBe('Echo: back');
      });

      it('30: does not offer the tools of a server that was removed', async () => {
        await using world = await createWorld(driver);
        expect((await world.agent.run([])).offered.map(({ name }) => name)).toContain('mcp__two__echo');
        await world.host.remove('two');
        const { offered, results } = await world.agent.run([{ tool: 'mcp__one__who' }]);
        expect(offered.filter(({ name }) => name.startsWith('mcp__two__'))).toEqual([]);
        expect(results[0]?.text).toBe('I am one.');
      });
    });
  });
}

/** Resolves with the next event of the host. */
async function nextEvent(world: World, name: 'toolsChanged'): Promise<void> {
  const events = new EventTarget();
  using _listening = world.host.on(name, () => events.dispatchEvent(new Event(name)));
  await once(events, name);
}
