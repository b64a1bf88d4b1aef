import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { everything, only, openWorkspace, type Run } from './support/workspace.js';

const hostile = {
  command: process.execPath,
  args: [fileURLToPath(new URL('./support/hostile-server.mjs', import.meta.url))],
};
const CRASHING = { ...hostile, args: [...hostile.args, '--crash'] };
const SERVERS = only({ hostile, crashing: CRASHING });

/** Everything that a terminal acts on or does not show, our own colors aside; `\n` is ours. */
const UNFIT = /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u;
// oxlint-disable-next-line no-control-regex -- that is what they begin with
const COLOR = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;

function isFit({ stdout, stderr }: Run): boolean {
  return !UNFIT.test(`${stdout}${stderr}`.replaceAll(COLOR, ''));
}

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['status', '--verbose'],
  ['list', 'tools', 'hostile'],
  ['list', 'tools', 'hostile', '--verbose'],
  ['list', 'prompts', 'hostile', '--verbose'],
  ['list', 'resources', 'hostile', '--verbose'],
  ['call', 'hostile/evil'],
  ['call', 'hostile/error'],
  ['call', 'hostile/absent'],
  ['read', 'hostile/evil://one'],
  ['prompt', 'hostile/evil'],
  ['complete', 'prompt', 'hostile/evil', 'x', 'y'],
  ['list', 'tools', 'crashing', '--verbose'],
  ['generate', 'types', 'hostile'],
];

it.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
  'no text of a server reaches the terminal as a command: %s',
  async (_, args) => {
    await using workspace = await openWorkspace({ here: true });
    const plain = await workspace.fittings([...args, ...SERVERS], { env: { FORCE_COLOR: '1' } });
    expect(plain.stdout + plain.stderr).toMatch(/hostile|crashing|red|esrever/);
    expect(isFit(plain), JSON.stringify(plain)).toBe(true);
    const asJson = await workspace.json([...args, ...SERVERS]);
    expect(isFit(asJson), JSON.stringify(asJson)).toBe(true);
  },
);

it('generate says which tool it leaves out, and why', async () => {
  await using workspace = await openWorkspace({ here: true });
  const { stderr } = await workspace.fittings(['generate', 'types', 'hostile', ...SERVERS]);
  expect(stderr).toContain(
    'The input schema of the tool "deep" is rejected: it is nested deeper than 64 levels.',
  );
});

it('--json is faithful: what is escaped on the way comes out as the server sent it', async () => {
  await using workspace = await openWorkspace({ here: true });
  const { value } = await workspace.json(['call', 'hostile/evil', ...SERVERS]);
  const { content } = value as { content: { text: string }[] };
  expect(content[0]?.text).toContain('\u001b[2J');
  expect(content[0]?.text).toContain('\u202e');
});

it('a name in a file of the project cannot control the terminal either', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.write('.mcp.json', {
    mcpServers: { '\u001b[2Jevil': { command: 'x' }, ['a\u202eb']: { command: '\u001b[31m' } },
  });
  for (const args of [
    ['status'],
    ['approve'],
    ['export', '--to', 'vscode'],
    ['doctor'],
    ['status', '--json'],
  ]) {
    const run = await workspace.fittings(args);
    expect(isFit(run), JSON.stringify(run)).toBe(true);
  }
});

const CANARY = 'canary-6e1f0a77-value';
const SECRETIVE = {
  secretive: {
    ...everything,
    env: { SERVICE_TOKEN: CANARY, DB_PASSWORD: `${CANARY}-2` },
    args: [...everything.args, 'stdio', '--api-key', `${CANARY}-3`],
  },
  remote: {
    url: `http://127.0.0.1:1/mcp?access_token=${CANARY}-4`,
    headers: { Authorization: `Bearer ${CANARY}-5`, 'X-Own': `${CANARY}-6` },
  },
  keyed: { url: 'http://127.0.0.1:1/mcp', apiKey: `${CANARY}-7` },
  client: { url: 'http://127.0.0.1:1/mcp', oauth: { clientId: 'me', clientSecret: `${CANARY}-8` } },
  expanded: { url: 'http://127.0.0.1:1/mcp', headers: { 'X-Key': '${FROM_ENVIRONMENT}' } },
};

it.each([
  ['status', '--verbose'],
  ['status', '--json'],
  ['list', 'tools', '--verbose'],
  ['call', 'secretive/get-env'],
  ['call', 'secretive/get-env', '--json'],
  ['call', 'secretive/echo', `message=${CANARY}`],
  ['export', '--to', 'vscode'],
  ['export', '--to', 'codex', '--json'],
  ['doctor', '--verbose'],
  ['login', 'remote', '--verbose'],
  ['logout', 'client', '--store', 'memory', '--verbose'],
])('no configured secret is printed: %s %s %s', async (...args) => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.write('servers.json', { mcpServers: SECRETIVE });
  const run = await workspace.fittings([...args, '--strict-mcp-config', '--mcp-config', 'servers.json'], {
    env: { FROM_ENVIRONMENT: `${CANARY}-9` },
  });
  expect(run.stdout + run.stderr).not.toContain('canary-6e1f0a77');
  expect(run.stdout + run.stderr).not.toContain(
    Buffer.from('canary-6e1f0a77').toString('base64').slice(0, 16),
  );
  expect(run.stdout + run.stderr).not.toBe('');
});

it('a secret that is typed wrong is not repeated', async () => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings(['add', 'x', '--url', 'https://x.example', '--header', CANARY]);
  expect(run.code).toBe(2);
  expect(run.stderr).not.toContain(CANARY);
});
