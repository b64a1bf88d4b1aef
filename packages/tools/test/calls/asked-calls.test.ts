import type { CatalogTool } from '@mcp-fittings/host';
import { describe, expect, it } from 'vitest';
import { AskedCalls } from '../../src/calls/asked-calls.js';
import type { Confirm } from '../../src/calls/confirm-call.js';
import { createTools } from '../../src/create-tools.js';
import { fakeHost, tool } from '../support/fake-host.js';

/** A turn with the tools `a` and `b`, which require confirmation, and what runs them. */
function scene() {
  const host = fakeHost([tool('a', { digest: 'same' }), tool('b', { digest: 'same' })]);
  const tools = createTools(host, { defaultPermission: 'ask' });
  const turn = tools.snapshot();
  const toolNamed = (name: string) => turn.tools.find(({ ref }) => ref.tool === name) ?? expect.unreachable();
  const run = async (name: string, confirm: Confirm | undefined, args: object = {}) => {
    const event = await turn.run(`mcp__s__${name}`, args, { confirm });
    return event.type === 'error' ? event.error.code : event.type;
  };
  const change = (...catalog: CatalogTool[]) => (host.catalog = catalog);
  return { host, toolNamed, run, change };
}

describe('what a framework asked the user by itself', () => {
  it('is consent to one call of that tool', async () => {
    const { toolNamed, run } = scene();
    const asked = new AskedCalls();
    asked.remember('1', toolNamed('a'));
    expect(asked.has('1')).toBe(true);
    expect(await run('a', asked.take('1'))).toBe('result');
    expect([asked.has('1'), asked.take('1')]).toEqual([false, undefined]);
    expect(await run('a', asked.take('1'))).toBe('APPROVAL_REQUIRED');
  });

  it('is not consent to another tool, nor to one that changed meanwhile', async () => {
    const { host, toolNamed, run, change } = scene();
    const asked = new AskedCalls();
    asked.remember('1', toolNamed('a'));
    expect(await run('b', asked.take('1'))).toBe('APPROVAL_REQUIRED');
    asked.remember('2', toolNamed('a'));
    change(tool('a', { description: 'Now it does more.', digest: 'changed' }), tool('b'));
    expect(await run('a', asked.take('2'))).toBe('APPROVAL_REQUIRED');
    expect(host.calls).toEqual([]);
  });

  it('is consent to the arguments that the user saw, in any order', async () => {
    const { host, toolNamed, run } = scene();
    const asked = new AskedCalls();
    for (const [id, args] of [
      ['1', { y: 2, x: 1 }],
      ['2', { x: 1, y: 3 }],
      ['3', undefined],
    ] as const) {
      asked.remember(id, toolNamed('a'), { x: 1, y: 2 });
      expect(await run('a', asked.take(id, args))).toBe(id === '1' ? 'result' : 'APPROVAL_REQUIRED');
    }
    asked.remember('4', toolNamed('a'), {});
    expect(await run('a', asked.take('4', undefined))).toBe('result');
    expect(host.calls).toHaveLength(2);
  });

  it('forgets the oldest of a thousand questions, and replaces one about the same call', async () => {
    const { toolNamed, run } = scene();
    const asked = new AskedCalls();
    for (let id = 0; id <= 1_000; id++) asked.remember(String(id), toolNamed('a'));
    expect([asked.has('0'), asked.has('1'), asked.has('1000')]).toEqual([false, true, true]);
    asked.remember('1', toolNamed('b'));
    expect(await run('b', asked.take('1'))).toBe('result');
  });
});
