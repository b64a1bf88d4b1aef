import { describe, expect, it } from 'vitest';
import { createToolApprovals } from '../../src/permissions/tool-approvals.js';
import { createToolPolicy, type PolicyTool } from '../../src/permissions/tool-policy.js';
import type { ToolPermissions } from '../../src/permissions/tool-permissions.js';

const tool = (name: string, more: Partial<PolicyTool> = {}): PolicyTool => ({
  server: 'github',
  name,
  digest: 'd1',
  ...more,
});
const entry = (name: string): PolicyTool => tool(name, { identity: 'hash of the entry' });
const readOnly = { annotations: { readOnlyHint: true } };
const verdictOf = (permissions: ToolPermissions, of: PolicyTool, folderIsTrusted = false): string => {
  const verdict = createToolPolicy({ servers: { github: permissions }, folderIsTrusted }).forTool(of);
  expect(verdict.reason).toMatch(/^[A-Z].*[.)]$/);
  return `${verdict.decision} by ${verdict.rule}`;
};

describe('verdicts', () => {
  it.each<[string, ToolPermissions, PolicyTool, string]>([
    ['nothing is said', {}, tool('x'), 'pass-through by no-rule'],
    ['a listed tool', { allowedTools: ['x'] }, tool('x'), 'allow by allowed-tool'],
    ['a tool by pattern', { allowedTools: ['get_*'] }, tool('get_issue'), 'allow by allowed-tool'],
    ['a tool outside of the list asks', { allowedTools: ['get_*'] }, tool('budget_x'), 'ask by not-listed'],
    ['outside of an empty list', { allowedTools: [] }, tool('x'), 'ask by not-listed'],
    [
      'outside of the list, whatever is permitted',
      { allowedTools: ['y'], writePermission: 'allow' },
      tool('x'),
      'ask by not-listed',
    ],
    ['allowed is case-sensitive', { allowedTools: ['x'] }, tool('X'), 'ask by not-listed'],
    ['denied is not', { deniedTools: ['delete'] }, tool('DELETE'), 'deny by denied-tool'],
    ['denied goes first', { allowedTools: ['*'], deniedTools: ['x'] }, tool('x'), 'deny by denied-tool'],
    ['write: ask', { writePermission: 'ask' }, tool('x'), 'ask by write-permission'],
    ['write: deny', { writePermission: 'deny' }, tool('x'), 'deny by write-permission'],
    ['write: allow', { writePermission: 'allow' }, tool('x'), 'allow by write-permission'],
    [
      'an exact name passes a permission that denies',
      { allowedTools: ['x'], writePermission: 'deny' },
      tool('x'),
      'allow by allowed-tool',
    ],
    [
      'also if the tool only reads',
      { allowedTools: ['x'], writePermission: 'deny' },
      tool('x', readOnly),
      'allow by allowed-tool',
    ],
    [
      'a pattern does not',
      { allowedTools: ['x*', '*'], writePermission: 'deny' },
      tool('x'),
      'deny by write-permission',
    ],
    [
      'another name does not',
      { allowedTools: ['y', 'X'], writePermission: 'deny' },
      tool('x'),
      'deny by write-permission',
    ],
    [
      'the name of a destructive tool does not',
      { allowedTools: ['x'], writePermission: 'deny' },
      tool('x', { annotations: { destructiveHint: true } }),
      'deny by write-permission',
    ],
    [
      'it does not pass a permission to read that denies',
      { allowedTools: ['x'], readPermission: 'deny', writePermission: 'deny' },
      tool('x', readOnly),
      'deny by read-permission',
    ],
    [
      'nor a list of denied tools',
      { allowedTools: ['x'], deniedTools: ['x'], writePermission: 'deny' },
      tool('x'),
      'deny by denied-tool',
    ],
    ['an enabled tool', { enabledTools: ['x', 'get_*'] }, tool('get_y'), 'pass-through by no-rule'],
    ['outside of the enabled tools', { enabledTools: ['x'] }, tool('y'), 'deny by disabled-tool'],
    ['enabled is case-sensitive', { enabledTools: ['x'] }, tool('X'), 'deny by disabled-tool'],
    [
      'outside of the enabled tools, whatever is permitted',
      { enabledTools: [], allowedTools: ['x'], writePermission: 'allow' },
      tool('x'),
      'deny by disabled-tool',
    ],
    ['read: deny counts always', { readPermission: 'deny' }, tool('x', readOnly), 'deny by read-permission'],
    [
      'read: allow does not suffice on the word of the server',
      { readPermission: 'allow' },
      tool('x', readOnly),
      'pass-through by no-rule',
    ],
    [
      'the stricter of both',
      { readPermission: 'allow', writePermission: 'ask' },
      tool('x', readOnly),
      'ask by write-permission',
    ],
  ])('%s', (_, permissions, of, expected) => {
    expect(verdictOf(permissions, of)).toBe(expected);
  });

  it('trust counts only in a trusted folder, and never overrides a denial', () => {
    const trusted: ToolPermissions = { trust: true, readPermission: 'allow', writePermission: 'ask' };
    expect(verdictOf(trusted, tool('x'), true)).toBe('allow by trusted-server');
    expect(verdictOf(trusted, tool('x'), false)).toBe('ask by write-permission');
    expect(verdictOf({ ...trusted, deniedTools: ['x'] }, tool('x'), true)).toBe('deny by denied-tool');
    expect(verdictOf({ ...trusted, writePermission: 'deny' }, tool('x'), true)).toBe(
      'deny by write-permission',
    );
    expect(verdictOf({ ...trusted, writePermission: 'deny' }, tool('x', readOnly), true)).toBe(
      'allow by trusted-server',
    );
  });

  it('the trust of the folder may change while the host runs', () => {
    let trusted = false;
    const policy = createToolPolicy({ servers: { github: { trust: true } }, folderIsTrusted: () => trusted });
    expect(policy.forTool(tool('x')).decision).toBe('pass-through');
    trusted = true;
    expect(policy.forTool(tool('x')).decision).toBe('allow');
  });

  it('resources', () => {
    const policy = createToolPolicy({
      servers: { github: { allowedResources: ['file:///docs/*'], readPermission: 'deny' }, other: {} },
    });
    expect(policy.forResource({ server: 'github', uri: 'file:///docs/a' })).toMatchObject({
      decision: 'allow',
      rule: 'allowed-resource',
    });
    expect(policy.forResource({ server: 'github', uri: 'file:///etc' })).toMatchObject({
      decision: 'deny',
      rule: 'read-permission',
    });
    expect(policy.forResource({ server: 'other', uri: 'x:y' }).decision).toBe('pass-through');
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'a server named %s has no permissions by inheritance',
    (server) => {
      expect(createToolPolicy({ servers: {} }).forTool(tool('x', { server })).decision).toBe('pass-through');
    },
  );

  it('a reason escapes the name of the server', () => {
    const { reason } = createToolPolicy().forTool(
      tool('x', { server: `a\u001b[2J\u202e${'b'.repeat(500)}` }),
    );
    expect(reason).toMatch(/^[\x20-\x7e…]{1,200}$/);
  });
});

it('obeys what a program denies after it has created the policy', () => {
  const servers: Record<string, { deniedTools?: string[] }> = { github: { deniedTools: [] } };
  const policy = createToolPolicy({ servers });
  expect(policy.forTool(tool('x')).decision).toBe('pass-through');
  servers['github']?.deniedTools?.push('X');
  expect(policy.forTool(tool('x')).rule).toBe('denied-tool');
  servers['github'] = {};
  expect(policy.forTool(tool('x')).decision).toBe('pass-through');
  servers['other'] = { deniedTools: ['x'] };
  expect(policy.forTool(tool('x', { server: 'other' })).rule).toBe('denied-tool');
});

describe('answers', () => {
  it('once: the answer is not remembered', () => {
    const policy = createToolPolicy();
    expect(policy.answer(tool('x'), 'once')).toBe(true);
    expect(policy.forTool(tool('x')).decision).toBe('pass-through');
  });

  it('cancel, and an invalid answer', () => {
    const policy = createToolPolicy();
    expect(policy.answer(tool('x'), 'cancel')).toBe(false);
    expect(policy.answer(tool('x'), undefined as never)).toBe(false);
    expect(policy.approvals.toJSON()).toEqual({ version: 2, servers: [], tools: [] });
  });

  it('always-tool: until the tool changes', () => {
    const policy = createToolPolicy();
    expect(policy.answer(tool('x'), 'always-tool')).toBe(true);
    expect(policy.forTool(tool('x'))).toMatchObject({ decision: 'allow', rule: 'approved-tool' });
    expect(policy.forTool(tool('x', { digest: 'd2' })).decision).toBe('ask');
    expect(policy.forTool(tool('y')).decision).toBe('pass-through');
  });

  it('always-server: for the tools that the server has now', () => {
    const policy = createToolPolicy();
    policy.answer(entry('x'), 'always-server', [entry('x'), entry('y'), tool('z', { server: 'other' })]);
    expect(policy.forTool(entry('y'))).toMatchObject({ decision: 'allow', rule: 'approved-server' });
    expect(policy.forTool(tool('z', { server: 'other' })).decision).toBe('pass-through');
    policy.approvals.removeServer('hash of the entry');
    expect(policy.forTool(entry('y')).decision).toBe('pass-through');
  });

  it('an earlier approval does not override a denial', () => {
    const approvals = createToolApprovals();
    createToolPolicy({ approvals }).answer(entry('x'), 'always-server');
    const denying = createToolPolicy({ approvals, servers: { github: { writePermission: 'deny' } } });
    expect(denying.forTool(entry('x')).decision).toBe('deny');
  });

  it('a name passes a denial only as long as the tool is as it was approved', () => {
    const servers = { github: { allowedTools: ['x', 'y'], writePermission: 'deny' } } as const;
    const approvals = createToolApprovals();
    const policy = createToolPolicy({ approvals, servers });
    policy.answer(entry('x'), 'always-server');
    expect(policy.forTool(entry('x')).decision).toBe('allow');
    expect(policy.forTool({ ...entry('x'), digest: 'd2' }).decision).toBe('deny');
    expect(policy.forTool(entry('y')).decision).toBe('deny');
  });

  it('belong to one policy, and survive a round trip through JSON', () => {
    const one = createToolPolicy();
    one.answer(entry('x'), 'always-tool');
    expect(createToolPolicy().forTool(entry('x')).decision).toBe('pass-through');
    const kept: unknown = JSON.parse(JSON.stringify(one.approvals));
    const restored = createToolPolicy({ approvals: createToolApprovals(kept) });
    expect(restored.forTool(entry('x')).decision).toBe('allow');
  });

  it('belong to the identity of a server if the host provides one', () => {
    const approvals = createToolApprovals();
    createToolPolicy({ approvals, identify: () => 'hash of entry 1' }).answer(tool('x'), 'always-server');
    const changed = createToolPolicy({ approvals, identify: () => 'hash of entry 2' });
    expect(changed.forTool(tool('x')).decision).toBe('pass-through');
  });

  it.each([null, 5, [], {}, { version: 3, servers: [], tools: [] }, { version: 1, servers: [1], tools: [] }])(
    'a kept list that is malformed is refused: %j',
    (kept) => {
      expect(() => createToolApprovals(kept)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );
});
