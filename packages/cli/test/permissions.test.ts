import { afterAll, beforeAll, expect, it } from 'vitest';
import { FittingsError } from '@mcp-fittings/client-core';
import { everythingServer, type EverythingServer } from '../../../scripts/everything-server.js';
import { hintForPerson } from '../src/output/hints.js';
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
  ['readPermission: ask, with nobody to ask', { readPermission: 'ask' }, 5],
  [
    'deny, and the URI is allowed',
    { readPermission: 'deny', allowedResources: ['demo://resource/static/*'] },
    0,
  ],
  ['deny, and another URI is allowed', { readPermission: 'deny', allowedResources: ['demo://other/*'] }, 5],
  ['readPermission: allow', { readPermission: 'allow' }, 0],
  ['no rule', {}, 0],
])('F4: read with %s', async (_what, permissions, code) => {
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
  ['writePermission: deny and allowedTools', { writePermission: 'deny', allowedTools: ['echo'] }, 5],
  ['both lists', { deniedTools: ['echo'], allowedTools: ['echo'] }, 5],
  ['trust, and a denied tool', { trust: true, deniedTools: ['e*'] }, 5],
])('F4: call with %s', async (_what, permissions, code) => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings([
    'call',
    'everything/echo',
    '-a',
    'message=hi',
    ...entry(permissions),
  ]);
  expect(run.code).toBe(code);
});

it.each([
  [['-a', 'a=1'], '--arg b=<number> is missing.'],
  [[], '--arg a=<number>, --arg b=<number> are missing.'],
  [['--args', '{"a":1}'], '--arg b=<number> is missing.'],
  [['-a', 'a=1', '-a', 'b=x'], 'The argument "b"'],
  [['--args', '{"a":1,"b":"x"}'], 'are not valid'],
])('minor 10: wrong arguments %j are named, with the usage line', async (args, message) => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings(['call', 'everything/get-sum', ...args, ...entry({})]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(message);
  expect(run.stderr).toContain('Usage: fittings call everything/get-sum --arg a=<number> --arg b=<number>');
  expect(run.stderr).not.toContain('Call it again');
});

it.each([
  ['TRANSPORT_UNKNOWN', 'Pass a TransportPlugin of this type to createHost({ transports }).', '--plugin'],
  ['ENDPOINT_INCOMPATIBLE', 'use the transport `sse` or `http({ fallback: sse() })`.', '"type": "sse"'],
  ['AUTH_REJECTED', 'Sign in again, with host.signIn() or signIn() of the provider.', 'fittings login s'],
  [
    'AUTH_REQUIRED',
    'Pass an auth plugin that serves this entry to createHost({ auth }).',
    'fittings login s',
  ],
  ['AUTH_FAILED', 'Pass "showCode" to interactionForEnvironment(), or "askForAddress".', 'fittings login s'],
  ['SERVER_UNKNOWN', 'Add it with host.connect().', 'fittings add'],
  ['TOOL_UNKNOWN', 'host.tools() lists what there is.', 'fittings list tools s'],
  ['SERVER_DISABLED', 'Enable it in its configuration, or with host.enable().', 'fittings enable s'],
  [
    'POLICY_DENIED',
    'The host has to allow the tool in its policy, or to pass `confirm`.',
    'entry of the server',
  ],
  ['CONFIG_INVALID', 'Pass it to inprocess({ servers }).', undefined],
  ['COMMAND_NOT_FOUND', 'Install it, or give its full path.', 'Install it, or give its full path.'],
] as const)('minor 9: the hint of %s speaks to a user: %s', (code, hint, expected) => {
  const shown = hintForPerson(new FittingsError(code, 'x', { server: 's', hint }));
  if (expected === undefined) expect(shown).toBeUndefined();
  else expect(shown).toContain(expected);
  expect(shown ?? '').not.toMatch(/createHost|host\.|\(\{|\(\)/);
});

it('minor 9: the library hint of an unknown type and of a wrong transport is not shown', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ odd: { type: 'carrier-pigeon', url: 'https://x.example' } });
  for (const args of [['status'], ['call', 'odd/x'], ['doctor']]) {
    const { stdout, stderr } = await workspace.fittings([...args, '--store', 'memory', ...servers]);
    expect(stdout + stderr).not.toMatch(/createHost|http\(\{/);
  }
});

it.each([['status'], ['call', 'hang/x'], ['doctor', '--timeout', '0.5']])(
  'minor 8: %j says nothing of process ids and counters to a user',
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
