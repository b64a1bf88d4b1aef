import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BIN } from './support/bridge-process.js';
import { type Run, type Workspace, openWorkspace } from './support/workspace.js';

/** A server whose tools are the lines of a file. It adds a line to another file when it starts. */
const SERVER = `
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [tools, starts] = process.argv.slice(2);
appendFileSync(starts, 'started\\n');
const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: readFileSync(tools, 'utf8').trim().split('\\n').map((name) => ({ name, description: 'Uses ' + (process.env.LABEL ?? 'nothing') + '.', inputSchema })) }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer() } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
});`;

/** Everything that could start a process or open a socket throws. */
const NOTHING_STARTS = `
for (const [name, methods] of [
  ['node:child_process', ['spawn', 'spawnSync', 'exec', 'execFile', 'execSync', 'execFileSync', 'fork']],
  ['node:net', ['connect', 'createConnection', 'createServer']],
  ['node:dgram', ['createSocket']],
  ['node:worker_threads', ['Worker']],
]) {
  const module = require(name);
  for (const method of methods) module[method] = () => { console.error('USED ' + name + '.' + method); process.exit(99); };
}
require('node:net').Socket.prototype.connect = () => { console.error('USED connect'); process.exit(99); };
require('node:module').syncBuiltinESMExports();`;

interface Setup {
  readonly workspace: Workspace;
  readonly names: readonly string[];
  /** How often a server was started. */
  starts(): Promise<number>;
  /** Sets the tools of all servers. */
  offer(...tools: readonly string[]): Promise<void>;
  /** Lists in a process that must start nothing. */
  listGuarded(): Run;
  /** Lists, and checks that no server was started. */
  listFromMemory(args?: readonly string[], cwd?: string): Promise<Run>;
  /** Writes the user's servers. */
  configure(change?: (entry: Record<string, unknown>) => void): Promise<void>;
}

async function setUp(count = 2): Promise<Setup & AsyncDisposable> {
  const workspace = await openWorkspace({ here: true });
  const { home, project, env } = workspace;
  const [script, tools, started, guard] = ['server.mjs', 'tools', 'started', 'guard.cjs'].map((name) =>
    join(home, name),
  );
  if (script === undefined || tools === undefined || started === undefined || guard === undefined)
    throw new Error();
  await Promise.all([writeFile(script, SERVER), writeFile(started, ''), writeFile(guard, NOTHING_STARTS)]);
  const names = Array.from({ length: count }, (_, index) => `s${index}`);
  const setup: Setup = {
    workspace,
    names,
    starts: async () => (await readFile(started, 'utf8')).split('\n').length - 1,
    offer: (...all) => writeFile(tools, all.join('\n')),
    listGuarded() {
      const args = ['--require', guard, BIN, 'list', 'tools'];
      const { status, ...run } = spawnSync(process.execPath, args, { cwd: project, env, encoding: 'utf8' });
      return { ...run, code: status };
    },
    async listFromMemory(args = ['list', 'tools'], cwd = project) {
      const before = await setup.starts();
      const run = await workspace.fittings(args, { cwd });
      expect(await setup.starts()).toBe(before);
      return run;
    },
    async configure(change = () => undefined) {
      const entries = names.map((name) => {
        const entry = { command: process.execPath, args: [script, tools, started] };
        change(entry);
        return [name, entry];
      });
      const folder = join(home, '.config/mcp-fittings');
      await mkdir(folder, { recursive: true });
      const text = JSON.stringify({ mcpServers: Object.fromEntries(entries) });
      await writeFile(join(folder, 'servers.json'), text);
    },
  };
  await setup.offer('first');
  await setup.configure();
  return { ...setup, [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose]() };
}

async function warm(setup: Setup, args: readonly string[] = ['list', 'tools']) {
  const run = await setup.workspace.fittings(args);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run;
}

it('a second list starts no process and opens no socket', async () => {
  await using setup = await setUp(4);
  const first = await warm(setup);
  expect(await setup.starts()).toBe(4);
  const second = setup.listGuarded();
  expect(second.code).toBe(0);
  // Servers print when they are connected; from memory they have the order of the configuration.
  expect(second.stdout.split('\n').toSorted()).toEqual(first.stdout.split('\n').toSorted());
  expect(second.stderr).toMatch(/^Listed from memory, up to \d+ s old\. Ask the servers again: --refresh\n$/);
  const json = await setup.listFromMemory(['--json', 'list', 'tools']);
  expect((JSON.parse(json.stdout) as { tools: unknown[] }).tools).toHaveLength(4);
  const one = await setup.listFromMemory(['list', 'tools', 's2', '-v']);
  expect(one.stdout).toContain('city=<string>');
  expect(one.stdout).not.toContain('s3');
  expect((await setup.listFromMemory(['list', 'prompts'])).stdout).toBe('No server offers prompts.\n');
});

it('the guard of these tests notices a server that is started', async () => {
  await using setup = await setUp(1);
  expect(setup.listGuarded()).toMatchObject({ code: 99 });
});

it('--refresh asks all servers again, and what they say is remembered', async () => {
  await using setup = await setUp();
  await warm(setup);
  await setup.offer('second');
  expect((await setup.listFromMemory()).stdout).toContain('first');
  const refreshed = await warm(setup, ['list', 'tools', '--refresh']);
  expect(refreshed.stdout).toContain('second');
  expect((await setup.listFromMemory()).stdout).toContain('second');
});

it.each<[string, (setup: Setup) => Promise<unknown>]>([
  ['its entry', (setup) => setup.configure((entry) => (entry['env'] = { LABEL: 'another label' }))],
  [
    'its program',
    ({ workspace }) => writeFile(join(workspace.home, 'server.mjs'), `${SERVER}\n// changed\n`),
  ],
])('a server is asked again when %s has changed', async (_what, change) => {
  await using setup = await setUp();
  await warm(setup);
  await change(setup);
  await setup.offer('second');
  const { stdout, stderr } = await setup.workspace.fittings(['list', 'tools']);
  expect(stdout).toContain('second');
  expect(stdout).not.toContain('first');
  expect(stderr).toBe('');
  expect(await setup.starts()).toBe(4);
});

it('a server is asked again when a variable of its entry has changed', async () => {
  await using setup = await setUp(1);
  await setup.configure((entry) => (entry['env'] = { LABEL: '${FRUIT}' }));
  const list = async (fruit: string) =>
    (await setup.workspace.fittings(['list', 'tools'], { env: { FRUIT: fruit } })).stdout;
  expect(await list('apples')).toContain('Uses apples.');
  expect(await list('pears')).toContain('Uses pears.');
  expect(await setup.starts()).toBe(2);
});

it('a change of one entry asks that server alone', async () => {
  await using setup = await setUp(3);
  await warm(setup);
  let count = 0;
  await setup.configure((entry) => {
    if (count++ === 1) entry['env'] = { LABEL: 'another label' };
  });
  const { stdout, stderr } = await setup.workspace.fittings(['list', 'tools']);
  expect(await setup.starts()).toBe(4);
  expect(stdout).toContain('Uses another label.');
  expect(stdout.match(/^s\d 1$/gm)).toHaveLength(3);
  expect(stderr).toContain('Listed from memory');
});

it.each<[string, (workspace: Workspace, entry: object) => Promise<unknown>]>([
  [
    'its entry has changed',
    (workspace, entry) =>
      workspace.write('.mcp.json', { mcpServers: { shared: { ...entry, env: { EXTRA: '1' } } } }),
  ],
  ['its approval is withdrawn', ({ home }) => rm(join(home, '.config/mcp-fittings/approvals.json'))],
  ['its folder is not the project any more', ({ project }) => mkdir(join(project, 'nested/.git'))],
])('a server of the project is not listed from memory once %s', async (_what, change) => {
  await using setup = await setUp(1);
  const { workspace } = setup;
  const cwd = join(workspace.project, 'nested');
  await mkdir(cwd);
  const entry = {
    command: process.execPath,
    args: ['server.mjs', 'tools', 'started'].map((name) => join(workspace.home, name)),
  };
  await workspace.write('.mcp.json', { mcpServers: { shared: entry } });
  expect((await workspace.fittings(['list', 'tools'], { cwd })).stdout).not.toContain('shared');
  const { value } = await workspace.json(['approve', 'shared'], { cwd });
  const [server] = (value as { readonly servers: readonly { readonly hash: string }[] }).servers;
  await workspace.fittings(['approve', 'shared', '--hash', server?.hash ?? ''], { cwd });
  await workspace.fittings(['list', 'tools', '--refresh'], { cwd });
  expect((await setup.listFromMemory(['list', 'tools'], cwd)).stdout).toContain('shared 1');

  await change(workspace, entry);
  const changed = await workspace.fittings(['list', 'tools'], { cwd });
  expect(changed.stdout).not.toContain('shared');
  expect(changed.stdout).toContain('s0 1');
});

it('secrets of the configuration are neither stored nor printed from memory', async () => {
  await using setup = await setUp(1);
  await setup.configure((entry) => (entry['env'] = { LABEL: 'hunter2-hunter2', API_KEY: 'hunter2-hunter2' }));
  await warm(setup);
  const again = await setup.listFromMemory();
  expect(again.stdout).toContain('first');
  expect(again.stdout).not.toContain('hunter2');
  for (const name of await readdir(join(setup.workspace.home, '.cache/mcp-fittings/lists'))) {
    const text = await readFile(join(setup.workspace.home, '.cache/mcp-fittings/lists', name), 'utf8');
    expect(text).toContain('"first"');
    expect(text).not.toContain('hunter2');
  }
});

it('lists that another user could have written are not believed', async () => {
  await using setup = await setUp(1);
  await warm(setup);
  await chmod(join(setup.workspace.home, '.cache/mcp-fittings/lists'), 0o777);
  await setup.offer('second');
  expect((await setup.workspace.fittings(['list', 'tools'])).stdout).toContain('second');
});

it('signing out forgets all lists', async () => {
  await using setup = await setUp(1);
  await warm(setup);
  const { stderr } = await setup.workspace.fittings([
    '--store',
    'memory',
    'logout',
    'https://127.0.0.1:9/mcp',
  ]);
  expect(stderr).toBe('');
  await setup.workspace.fittings(['list', 'tools']);
  expect(await setup.starts()).toBe(2);
});

it.each([
  ['a tool without a name', /"name":"first"/, '"other":"first"'],
  ['another type', /"lists":\{/, '"lists":7,"other":{'],
])('a server is asked again if what is stored has %s', async (_, text, damage) => {
  await using setup = await setUp(1);
  await warm(setup);
  const folder = join(setup.workspace.home, '.cache/mcp-fittings/lists');
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const stored = await readFile(file, 'utf8');
    expect(stored).toMatch(text);
    await writeFile(file, stored.replace(text, damage));
  }
  await setup.offer('second');
  const { stdout } = await setup.workspace.fittings(['list', 'tools']);
  expect(stdout).toContain('second');
  expect(stdout).not.toContain('undefined');
});

it('lists older than ten minutes are not shown', async () => {
  await using setup = await setUp(1);
  await warm(setup);
  const folder = join(setup.workspace.home, '.cache/mcp-fittings/lists');
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const text = await readFile(file, 'utf8');
    const aged = text.replaceAll(/"readAt":(\d+)/g, (_all, at: string) => `"readAt":${Number(at) - 600_000}`);
    await writeFile(file, aged);
    await utimes(file, new Date(), new Date());
  }
  await setup.offer('second');
  expect((await setup.workspace.fittings(['list', 'tools'])).stdout).toContain('second');
});
