import { createHost, type Host } from '@mcp-fittings/host';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConfirmRequest } from '../../src/calls/confirm-call.js';
import { createToolApprovals } from '../../src/permissions/tool-approvals.js';
import { createToolPolicy, type ConfirmOutcome } from '../../src/permissions/tool-policy.js';
import { createTools, type Tools } from '../../src/create-tools.js';
import { fakeHost, tool } from '../support/fake-host.js';

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

/** A host whose server "github" has this entry. The program behind it does not matter here. */
async function hostWith(github: ServerConfig, names: readonly string[] = ['list', 'push']): Promise<Host> {
  const make = (): McpServer => {
    const server = new McpServer({ name: 'any', version: '1.0.0' });
    for (const name of names) server.registerTool(name, {}, () => ({ content: [] }));
    return server;
  };
  const host = createHost({
    name: 'identity-test',
    version: '1.0.0',
    transports: [inprocess({ servers: { one: make, two: make } })],
  });
  hosts.push(host);
  await host.connect({ github });
  return host;
}

/** The questions that were asked, and how the call ended. */
async function callOnce(
  host: Host,
  approvals: ReturnType<typeof createToolApprovals>,
  answer: ConfirmOutcome,
  name = 'push',
): Promise<string> {
  const asked: ConfirmRequest[] = [];
  await using tools = createTools(host, {
    policy: createToolPolicy({ approvals }),
    confirm: (request) => {
      asked.push(request);
      return Promise.resolve(answer);
    },
  });
  const { type } = await tools.snapshot().run(`mcp__github__${name}`);
  return `${asked.length === 0 ? 'not asked' : 'asked'}, ${type}`;
}

const mine: ServerConfig = { type: 'sdk', name: 'one' };

describe('approvals belong to the entry, not to its name', () => {
  it.each<[string, ServerConfig]>([
    ['another server', { type: 'sdk', name: 'two' }],
    ['another field', { ...mine, note: 'x' }],
    ['another environment', { ...mine, env: { NODE_OPTIONS: '--import ./evil.mjs' } }],
    ['other headers', { ...mine, headers: { 'x-tenant': 'other' } }],
    ['another command', { ...mine, command: 'evil' }],
  ])('%s under the same name is asked about again', async (_, other) => {
    for (const answer of ['always-server', 'always-tool'] as const) {
      const approvals = createToolApprovals();
      const host = await hostWith(mine);
      expect(await callOnce(host, approvals, answer)).toBe('asked, result');
      expect(await callOnce(host, approvals, 'cancel')).toBe('not asked, result');
      const kept = createToolApprovals(JSON.parse(JSON.stringify(approvals)));
      expect(await callOnce(await hostWith(mine), kept, 'cancel')).toBe('not asked, result');
      expect(await callOnce(await hostWith(other), kept, 'cancel')).toBe('asked, error');
    }
  });

  it('the order of the fields does not matter', async () => {
    const approvals = createToolApprovals();
    await callOnce(await hostWith({ type: 'sdk', name: 'one' }), approvals, 'always-server');
    const same = await hostWith({ name: 'one', type: 'sdk' });
    expect(await callOnce(same, approvals, 'cancel')).toBe('not asked, result');
  });

  it('the same command in another folder is another program', async () => {
    const identityIn = async (cwd: string): Promise<string> => {
      const host = await hostWith({ type: 'sdk', command: 'node', args: ['server.js'], cwd });
      return host.server('github').identity;
    };
    expect(await identityIn('/a')).not.toBe(await identityIn('/b'));
    expect(await identityIn('.')).toBe(await identityIn('.'));
    const here = await hostWith({ type: 'sdk', command: 'node', args: ['server.js'] });
    const before = process.cwd();
    try {
      process.chdir('/');
      const there = await hostWith({ type: 'sdk', command: 'node', args: ['server.js'] });
      // Without `cwd`, it starts in the home folder, wherever the host runs.
      expect(there.server('github').identity).toBe(here.server('github').identity);
    } finally {
      process.chdir(before);
    }
  });

  it('an entry that is replaced while the host runs asks again', async () => {
    const approvals = createToolApprovals();
    const host = await hostWith(mine);
    const answers: ConfirmOutcome[] = ['always-server', 'cancel'];
    await using tools = createTools(host, {
      policy: createToolPolicy({ approvals }),
      confirm: () => Promise.resolve(answers.shift() ?? 'cancel'),
    });
    const turn = tools.snapshot();
    expect((await turn.run('mcp__github__push')).type).toBe('result');
    await host.connect({ github: { type: 'sdk', name: 'two' } });
    // Also by an earlier toolset, because its calls reach the current server.
    expect(await turn.run('mcp__github__push')).toMatchObject({ error: { code: 'POLICY_DENIED' } });
    expect(answers).toEqual([]);
  });

  it('an entry that is replaced while the question is open is not called', async () => {
    const host = await hostWith(mine);
    const approvals = createToolApprovals();
    await using tools = createTools(host, {
      policy: createToolPolicy({ approvals }),
      confirm: async () => {
        await host.connect({ github: { type: 'sdk', name: 'two' } });
        return 'always-server';
      },
    });
    expect(await tools.snapshot().run('mcp__github__push')).toMatchObject({
      error: { code: 'APPROVAL_REQUIRED' },
    });
    expect(approvals.toJSON().servers).toEqual([]);
  });

  it('without an identity, an approval lasts as long as its policy and is not saved', async () => {
    const nameless = { ...fakeHost([tool('x')]), servers: () => [] };
    const approvals = createToolApprovals();
    for (const expected of [1, 2]) {
      await using tools = createTools(nameless, {
        policy: createToolPolicy({ approvals }),
        confirm: () => Promise.resolve('always-server'),
      });
      for (let times = 0; times < 2; times++) await tools.snapshot().run('mcp__s__x');
      expect(nameless.calls).toHaveLength(expected * 2);
    }
    expect(approvals.toJSON()).toEqual({ version: 2, servers: [], tools: [] });
  });
});

describe('approving a server approves the tools that it has now', () => {
  const reasons: string[] = [];
  const toolsOf = (host: ReturnType<typeof fakeHost>, answers: ConfirmOutcome[]): Tools => {
    reasons.length = 0;
    return createTools(host, {
      defaultPermission: 'allow',
      policy: createToolPolicy({ servers: { s: { writePermission: 'ask' } } }),
      confirm: ({ verdict }) => {
        reasons.push(`${verdict.rule}: ${verdict.reason}`);
        return Promise.resolve(answers.shift() ?? 'cancel');
      },
    });
  };

  it('asks again for a tool that was changed or added since, and names it', async () => {
    const host = fakeHost([tool('a'), tool('b'), tool('a', { server: 'r' })]);
    await using tools = toolsOf(host, ['always-server', 'cancel', 'cancel']);
    const run = async (name: string) => (await tools.snapshot().run(`mcp__s__${name}`)).type;
    expect([await run('a'), await run('b')]).toEqual(['result', 'result']);
    expect(reasons).toHaveLength(1);

    host.catalog = [tool('a', { digest: 'changed' }), tool('b'), tool('c\u202e')];
    expect([await run('b'), await run('a'), await run('c_')]).toEqual(['result', 'error', 'error']);
    expect(reasons.slice(1)).toEqual([
      'changed-tool: The tool "a" of server "s" has changed since you approved it.',
      'added-tool: The tool "c\\u{202e}" was added to server "s" after you approved its tools.',
    ]);
  });

  it('also for a toolset from before the change, and with defaultPermission "allow"', async () => {
    const host = fakeHost([tool('a')]);
    const policy = createToolPolicy();
    const pinned = { server: 's', name: 'a', digest: 'digest of a', identity: 'identity of s' };
    policy.answer(pinned, 'always-server', [pinned]);
    await using tools = createTools(host, { policy, defaultPermission: 'allow' });
    const turn = tools.snapshot();
    expect((await turn.run('mcp__s__a')).type).toBe('result');
    host.catalog = [tool('a', { digest: 'changed' })];
    expect(await turn.run('mcp__s__a')).toMatchObject({ error: { code: 'APPROVAL_REQUIRED' } });
  });

  it('an answer about a changed tool approves its new description', async () => {
    const host = fakeHost([tool('a')]);
    await using tools = toolsOf(host, ['always-server', 'always-tool', 'always-server']);
    const run = async () => (await tools.snapshot().run('mcp__s__a')).type;
    await run();
    for (const digest of ['second', 'third']) {
      host.catalog = [tool('a', { digest })];
      expect([await run(), await run()]).toEqual(['result', 'result']);
    }
    expect(reasons).toHaveLength(3);
  });
});
