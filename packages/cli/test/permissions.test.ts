import { afterAll, beforeAll, expect, it } from 'vitest';
import { FittingsError } from '@mcp-fittings/client-core';
import { everythingServer, type EverythingServer } from '../../../scripts/everything-server.js';
import { CommandError, hintForUser } from '../src/output/hints.js';
import { only, openWorkspace } from './support/workspace.js';

let server: EverythingServer;
beforeAll(async () => {
  server = await everythingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const entry = (permissions: object): readonly string[] => [
  '--store',
  'memory',
  ...only({ everything: { url: server.url, ...permissions } }),
];
const URI = 'demo://resource/static/document/features.md';

it.each([
  ['readPermission: deny', { readPermission: 'deny' }, 5],
  ['readPermission: ask, without a terminal', { readPermission: 'ask' }, 5],
  [
    'deny, and the URI is allowed',
    { readPermission: 'deny', allowedResources: ['demo://resource/static/*'] },
    0,
  ],
  ['no rule', {}, 0],
])('read with %s', async (_what, permissions, code) => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings(['read', `everything/${URI}`, ...entry(permissions)]);
  expect(run.code).toBe(code);
  if (code === 5) {
    expect(run.stderr).toContain('readPermission');
    expect(run.stdout).toBe('');
  }
});

it.each([
  ['deniedTools', { deniedTools: ['ECHO'] }, 5],
  ['writePermission: deny', { writePermission: 'deny' }, 5],
  ['writePermission: deny and the name', { writePermission: 'deny', allowedTools: ['echo'] }, 0],
  ['other tools enabled', { enabledTools: ['get-sum'], allowedTools: ['echo'] }, 5],
])('call with %s', async (_what, permissions, code) => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings(['call', 'everything/echo', 'message=hi', ...entry(permissions)]);
  expect(run.code).toBe(code);
  if ('deniedTools' in permissions) expect(run.stderr).toContain('denied');
});

it.each([
  ['TRANSPORT_UNKNOWN', {}, '--plugin'],
  ['ENDPOINT_INCOMPATIBLE', {}, '"type"'],
  ['AUTH_REQUIRED', {}, 'fittings login s'],
  ['SERVER_UNKNOWN', {}, 'fittings add'],
  ['TOOL_UNKNOWN', {}, 'fittings list tools s'],
  ['ARGUMENTS_INVALID', {}, 'fittings list tools s --verbose'],
  ['SERVER_DISABLED', {}, 'fittings enable s'],
  ['APPROVAL_REQUIRED', {}, 'fittings approve s'],
  ['STORE_UNAVAILABLE', {}, '--store file'],
  ['POLICY_DENIED', { path: '/home/u/credentials' }, 'fittings login s --store file'],
  ['CONFIG_INVALID', { reason: 'name-taken' }, '--replace'],
  ['SEND_QUEUE_FULL', {}, 'Try again'],
] as const)('the hint of %s names a command or an option: %j', (code, details, expected) => {
  const hint = 'Call host.doSomething(), or raise `maxSomething`.';
  const advice = hintForUser(new FittingsError(code, 'x', { server: 's', hint, details }));
  expect(advice).toContain(expected);
  expect(advice).not.toMatch(/host\.|max/);
});

it('no hint is shown where a user has nothing to do', () => {
  const hint = "The host program allows it: google({ hosts: ['x.example'] }).";
  const error = new FittingsError('POLICY_DENIED', 'x', { hint, details: { recipient: 'x.example' } });
  expect(hintForUser(error)).toBeUndefined();
});

it.each([
  ['COMMAND_NOT_FOUND', 'Install it, or give its full path.'],
  ['AUTH_FAILED', 'Pass a role in the entry, or run "gcloud auth application-default login".'],
  ['POLICY_DENIED', 'Use https:, or set `allowInsecure` on this server if you accept that.'],
] as const)('a hint about entries and machines is shown as it is: %s', (code, hint) => {
  expect(hintForUser(new FittingsError(code, 'x', { server: 's', hint }))).toBe(hint);
});

it('the command line speaks for itself: its own hint is never replaced', () => {
  const hint = 'Sign in: fittings login s --store file';
  expect(hintForUser(new CommandError('AUTH_REQUIRED', 'x', { server: 's', hint }))).toBe(hint);
  expect(hintForUser(new CommandError('ARGUMENTS_INVALID', 'x'))).toBeUndefined();
});

it('a server without a sign-in says so, and does not advise to sign in', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ keyed: { url: 'http://127.0.0.1:9/mcp', apiKey: 'a-key-of-mine', lazy: true } });
  const { code, stderr } = await workspace.fittings(['login', 'keyed', '--store', 'memory', ...servers]);
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('has no sign-in') });
  expect(stderr).not.toMatch(/installed|fittings login/);
});

it('the library hint of an unknown type and of a wrong transport is not shown', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ odd: { type: 'carrier-pigeon', url: 'https://x.example' } });
  for (const args of [['status'], ['call', 'odd/x'], ['doctor']]) {
    const { stdout, stderr } = await workspace.fittings([...args, '--store', 'memory', ...servers]);
    expect(stdout + stderr).not.toMatch(/createHost|http\(\{/);
  }
});

it.each([['status'], ['call', 'hang/x'], ['doctor', '--timeout', '0.5']])(
  '%j says nothing of process ids and counters to a user',
  async (...args) => {
    await using workspace = await openWorkspace({ here: true });
    const hang = {
      command: process.execPath,
      args: ['-e', 'setInterval(() => 0, 1000)'],
      connectTimeout: 500,
    };
    const more = { reconnect: { maxAttempts: 0 } };
    const { stdout, stderr } = await workspace.fittings([...args, ...only({ hang: { ...hang, ...more } })]);
    expect(stdout + stderr).not.toMatch(/pid:|ignoredLines|\(command:|signal:/);
    expect(stdout + stderr).toMatch(/within 500 ms/);
  },
);
