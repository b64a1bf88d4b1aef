import { FittingsError } from '@mcp-fittings/client-core';
import type { CallOptions } from '@mcp-fittings/host';
import { describe, expect, it } from 'vitest';
import { createTools } from '../../src/create-tools.js';
import { createToolPolicy } from '../../src/permissions/tool-policy.js';
import { createToolPins } from '../../src/pins.js';
import { fakeHost, text, tool } from '../support/fake-host.js';

const policy = () => createToolPolicy({ servers: { s: { allowedTools: ['free'], deniedTools: ['never'] } } });
const catalog = [tool('free'), tool('never'), tool('asks')];

describe('what a framework needs that asks the user by itself', () => {
  it('the verdict says what would happen to a call, without a call', async () => {
    const host = fakeHost(catalog);
    await using tools = createTools(host, { policy: policy() });
    const turn = tools.snapshot();
    expect(turn.verdict('mcp__s__free')).toMatchObject({ decision: 'allow', rule: 'allowed-tool' });
    expect(turn.verdict('mcp__s__never')).toMatchObject({ decision: 'deny', rule: 'denied-tool' });
    expect(turn.verdict('mcp__s__asks')).toMatchObject({ decision: 'ask', rule: 'not-listed' });
    expect(turn.verdict('mcp__s__nothing')).toBeUndefined();
    expect(host.calls).toEqual([]);
  });

  it('the verdict applies the default permission, as a call does', async () => {
    for (const defaultPermission of ['allow', 'ask', 'deny'] as const) {
      await using tools = createTools(fakeHost([tool('any')]), { defaultPermission });
      expect(tools.snapshot().verdict('mcp__s__any')).toMatchObject({
        decision: defaultPermission,
        rule: 'no-rule',
      });
    }
  });

  it('the confirm of a call goes before the confirm of the tools', async () => {
    const host = fakeHost(catalog);
    await using tools = createTools(host, { policy: policy(), confirm: async () => 'cancel' });
    const turn = tools.snapshot();
    expect((await turn.run('mcp__s__asks', {}, { confirm: async () => 'once' })).type).toBe('result');
    expect((await turn.run('mcp__s__asks', {})).type).toBe('error');
    expect(host.calls).toHaveLength(1);
  });

  it('the confirm of a call cannot run what the policy denies', async () => {
    const host = fakeHost(catalog);
    await using tools = createTools(host, { policy: policy() });
    const last = await tools.snapshot().run('mcp__s__never', {}, { confirm: async () => 'once' });
    expect(last).toMatchObject({
      type: 'error',
      error: {
        code: 'POLICY_DENIED',
        message: expect.stringContaining('list of denied tools of server "s"'),
      },
    });
    expect(host.calls).toEqual([]);
  });

  it('an error of the confirm of a call is the error of the call', async () => {
    const error = new FittingsError('APPROVAL_REQUIRED', 'The tool changed.', { delivery: 'not-sent' });
    await using tools = createTools(fakeHost(catalog), { policy: policy() });
    const last = await tools.snapshot().run('mcp__s__asks', {}, { confirm: () => Promise.reject(error) });
    expect(last.type === 'error' && last.error).toBe(error);
  });

  it('the confirm of a call does not agree to a tool that changed: it does not show what changed', async () => {
    const host = fakeHost([tool('a')]);
    const tools = createTools(host, { pins: createToolPins(), defaultPermission: 'allow' });
    tools.snapshot();
    host.catalog = [tool('a', { description: 'Now it does more.', digest: 'changed' })];
    const turn = tools.snapshot();
    const last = await turn.run('mcp__s__a', {}, { confirm: async () => 'once' });
    expect(last).toMatchObject({ type: 'error', error: { code: 'APPROVAL_REQUIRED' } });
    expect(host.calls).toEqual([]);
    await tools.pins?.accept(tools.pins.changes());
    expect((await turn.run('mcp__s__a', {})).type).toBe('result');
  });

  it('the meta and the timeout of a call reach the host', async () => {
    const seen: CallOptions[] = [];
    const host = fakeHost(catalog, (_, options) => {
      seen.push(options);
      return Promise.resolve(text('done'));
    });
    await using tools = createTools(host, { policy: policy() });
    await tools.snapshot().run('mcp__s__free', {}, { meta: { 'example.com/tenant': 'a' }, timeoutMs: 123 });
    expect(seen[0]).toMatchObject({ meta: { 'example.com/tenant': 'a' }, timeoutMs: 123 });
    await tools.snapshot().run('mcp__s__free', {});
    expect(seen[1]).not.toHaveProperty('meta');
  });
});
