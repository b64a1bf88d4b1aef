import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { BIN } from './support/bridge-process.js';
import { everything, only, openWorkspace } from './support/workspace.js';

const COMMANDS = [
  'status',
  'list',
  'call',
  'read',
  'prompt',
  'complete',
  'generate',
  'add',
  'remove',
  'enable',
  'disable',
  'import',
  'export',
  'approve',
  'login',
  'logout',
  'doctor',
  'bridge',
  'serve',
  'completion',
];

it('help names every command; each has its own help with an example', async () => {
  await using workspace = await openWorkspace({ here: true });
  const help = await workspace.fittings(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const command of COMMANDS) {
    expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    const own = await workspace.fittings([command, '--help']);
    expect(own.code).toBe(0);
    expect(own.stdout).toMatch(/Examples:\n[^]*fittings /);
    expect(own.stdout).toMatch(/--json.*: fittings --help/);
    expect(own.stdout).not.toContain('third-party transport');
  }
  expect(help.stdout).toMatch(/^Exit codes:\n {4}0 {2}success$/m);
  expect(help.stdout).not.toContain('__complete');
});

it('--version is that of the package', async () => {
  await using workspace = await openWorkspace();
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect((await workspace.fittings(['--version'])).stdout).toBe(`${version}\n`);
});

it.each([
  [['statsu'], 'Did you mean status?'],
  [['status', '--nope'], 'unknown option'],
  [['call'], "missing required argument 'tool'"],
  [['--layout', 'nope', 'status'], 'Allowed choices are'],
  [['--store', 'cloud', 'status'], 'Allowed choices are'],
  [['export'], "required option '-t, --to"],
  [['call', 'x', '--timeout', 'soon'], 'number of seconds'],
  [['login', 'x', '--timeout', '1e400'], 'number of seconds'],
  [['login', 'x', '--timeout', '5000000'], 'number of seconds'],
  [[], 'Usage: fittings'],
])('a wrong command line ends with 2 and says what is wrong: %j', async (args, words) => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings(args);
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain(words);
  if (args.length === 0) return;
  const { value, stderr, code } = await workspace.json(args);
  expect({ value, stderr, code }).toMatchObject({ value: { error: { code: 'USAGE' } }, stderr: '', code: 2 });
});

it('an error is one line with a hint; --verbose has the rest, --json has it as data', async () => {
  await using workspace = await openWorkspace({ here: true });
  const args = [
    'list',
    'tools',
    'gone',
    '--store',
    'memory',
    ...only({ gone: { url: 'http://127.0.0.1:1/mcp', reconnect: { maxAttempts: 1 } } }),
  ];
  const run = await workspace.fittings(args);
  expect(run.code).toBe(6);
  expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(run.stderr).toMatch(/^error: /);
  const verbose = await workspace.fittings([...args, '--verbose']);
  expect(verbose.stderr).toMatch(/code: CONNECTION_REFUSED/);
  expect(verbose.stderr).toMatch(/caused by: /);
  expect((await workspace.json(args)).value).toMatchObject({
    error: { code: 'CONNECTION_REFUSED', server: 'gone' },
  });
});

it.each([
  [['approve', 'db', '--hash', 'H', '--never'], 'cannot be used with'],
  [['approve', 'db', '--hash', 'H', '--forget'], 'cannot be used with'],
  [['approve', 'db', '--never', '--forget'], 'cannot be used with'],
  [['list', '--refresh'], 'connects to no server'],
  [['list', '--header', 'X: y'], 'apply only to a URL'],
  [['list', 'servers', '--type', 'sse'], 'apply only to a URL'],
  [['list', 'tools', '--type', 'bogus'], 'apply only to a URL'],
  [['bridge', 'db', '--token-file', 'nowhere'], 'apply only with --http or --ws'],
  [['bridge', 'db', '--allow-host', 'x'], 'apply only with --http or --ws'],
  [['bridge', 'db', '--allow-origin', 'https://x'], 'apply only with --http or --ws'],
  [['serve', '--socket', '--token-file', 'nowhere'], 'cannot be used with'],
  [['serve', '--socket', '--allow-host', 'x'], 'cannot be used with'],
  [['serve', '--stdio', '--allow-origin', 'https://x'], 'cannot be used with'],
])('options that do nothing are refused: %j', async (args, words) => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.fittings(['add', 'db', '--disabled', '--', 'x']);
  await workspace.write('.mcp.json', { mcpServers: { db: { command: 'x' } } });
  const run = await workspace.fittings(args);
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain(words);
});

it.each([[['--http', '0']], [['--ws', '0']], [[]]])(
  'the error of bridge %j is data with --json, unless stdout is for messages',
  async (more) => {
    await using workspace = await openWorkspace({ here: true });
    const args = ['--json', 'bridge', 'nosuch', ...more];
    const { code, stdout, stderr } = await workspace.fittings(args);
    expect(code).toBe(3);
    expect(more.length > 0 ? stdout : stderr).toContain('No server is named');
    expect(more.length > 0 ? stderr : stdout).toBe('');
  },
);

it('colors are for terminals, unless they are asked for', async () => {
  await using workspace = await openWorkspace({ here: true });
  const args = ['status', ...only({ off: { command: 'x', disabled: true } })];
  expect((await workspace.fittings(args)).stdout).not.toContain('\u001b');
  expect((await workspace.fittings(args, { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[1m');
  expect(
    (await workspace.fittings([...args, '--no-color'], { env: { FORCE_COLOR: '1' } })).stdout,
  ).not.toContain('\u001b');
});

it('a reader who has seen enough ends it quietly', async () => {
  await using workspace = await openWorkspace();
  const child = spawn(process.execPath, [BIN, 'list', 'tools', '--verbose', ...only({ everything })], {
    cwd: workspace.project,
    env: workspace.env,
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.destroy();
  await once(child, 'close');
  expect(stderr).not.toMatch(/EPIPE|Error/);
});

it('Ctrl-C ends a call that has just begun, and leaves no process behind', async () => {
  await using workspace = await openWorkspace();
  const run = await workspace.fittings(
    [
      'call',
      'everything/trigger-long-running-operation',
      'duration=600',
      'steps=6000',
      '--verbose',
      ...only({ everything }),
    ],
    { interruptWhen: (text) => text.includes('of 6000') },
  );
  expect(run.code).toBe(130);
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  expect(stdout).not.toContain(workspace.project);
});

it('completion: scripts that their shells accept, and candidates for commands, options, choices and servers', async () => {
  await using workspace = await openWorkspace({ here: true });
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout, code } = await workspace.fittings(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('fittings __complete');
    if (shell === 'bash') expect(spawnSync('bash', ['-n'], { input: stdout }).status).toBe(0);
  }
  await workspace.write('.mcp.json', {
    mcpServers: { everything, '$(touch pwned)': { command: 'x' }, other: { command: 'x' } },
  });
  const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
    (await workspace.fittings(['__complete', '--', ...words])).stdout
      .split('\n')
      .filter((line) => line !== '');
  expect(await complete('st')).toEqual(['status']);
  expect(await complete('login', '')).toEqual(['everything', 'other']);
  expect(await complete('list', 't')).toEqual(['tools']);
  expect(await complete('list', 'tools', 'oth')).toEqual(['other']);
  expect(await complete('--layout', 'c')).toEqual(['claude']);
  expect(await complete('status', '--wa')).toEqual(['--watch']);
  expect(await complete('import', '--from', 'claude-')).toEqual(['claude-code', 'claude-desktop']);
  expect(await complete('add', '')).toEqual([]);
});

it('completion works in a real bash', async () => {
  await using workspace = await openWorkspace();
  await workspace.write('.mcp.json', { mcpServers: { everything, other: { command: 'x' } } });
  const { stdout: script } = await workspace.fittings(['completion', 'bash']);
  const ask = `fittings() { "${process.execPath}" "${BIN}" "$@"; }
${script}
COMP_WORDS=(fittings logout ev) COMP_CWORD=2; _fittings; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['-c', ask], {
    cwd: workspace.project,
    env: workspace.env,
    encoding: 'utf8',
  });
  expect(stdout).toBe('everything\n');
});
