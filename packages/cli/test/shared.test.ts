import { readFileSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { matchesPlainSchema } from '../src/arguments/plain-schema.js';
import { parseCallRequest } from '../src/call-request.js';
import { startBridge } from './support/bridge-process.js';
import { untilDead } from './support/processes.js';
import { openWorkspace, type Run, type Workspace } from './support/workspace.js';

const COUNTED = fileURLToPath(new URL('support/counted-server.mjs', import.meta.url));

interface SharedWorkspace extends Workspace {
  /** How often the tools were listed, as every ordinary call does. */
  lists(): number;
  /** Process ids of the servers that have started. */
  starts(): readonly number[];
  shared(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Run>;
  readonly runtime: string;
  readonly file: string;
}

/** A workspace with one configured server, and a runtime folder of its own for the shared process. */
async function openShared(entry: object = {}): Promise<SharedWorkspace> {
  const workspace = await openWorkspace();
  const runtime = await mkdtemp(join(tmpdir(), 'rt-'));
  const log = join(workspace.home, 'starts');
  await Promise.all([writeFile(log, ''), writeFile(`${log}.methods`, '')]);
  const file = join(workspace.home, 'servers.json');
  const counted = { command: process.execPath, args: [COUNTED, log], ...entry };
  await writeFile(file, JSON.stringify({ mcpServers: { counted } }));
  // What was changed within two seconds is not taken for granted.
  await utimes(file, 0, 0);
  const options = ['--strict-mcp-config', '--mcp-config', file];
  return {
    ...workspace,
    runtime,
    file,
    lists: () => readFileSync(`${log}.methods`, 'utf8').split('tools/list').length,
    starts: () => readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number),
    shared: (args, env = {}) =>
      workspace.fittings([...options, ...args], {
        env: { XDG_RUNTIME_DIR: runtime, FITTINGS_SHARED: '1', ...env },
      }),
    async [Symbol.asyncDispose]() {
      for (const pid of pidsIn(runtime)) {
        try {
          process.kill(pid, 'SIGTERM');
        } catch {
          continue;
        }
        await untilDead(pid);
      }
      await workspace[Symbol.asyncDispose]();
      await rm(runtime, { recursive: true, force: true });
    },
  };
}

function pidsIn(runtime: string): readonly number[] {
  try {
    const log = readFileSync(join(runtime, 'mcp-fittings', 'shared.log'), 'utf8');
    return [...log.matchAll(/process has started\. pid=(\d+)/g)].map(([, pid]) => Number(pid));
  } catch {
    return [];
  }
}

/** Calls until the call was made at once. */
async function untilAtOnce(workspace: SharedWorkspace, args: readonly string[]): Promise<Run> {
  for (let calls = 1; ; calls++) {
    const before = workspace.lists();
    const run = await workspace.shared(args);
    if (workspace.lists() === before) return run;
    // Pins of the first call that are younger than two seconds are not relied on.
    if (calls === 1) await sleep(2_000);
  }
}

const CALL = ['call', 'counted/echo', '--arg', 'text=hi'];

describe('fittings --shared', () => {
  it('commands start a server once, and --no-shared starts its own', async () => {
    await using workspace = await openShared();
    for (let count = 0; count < 3; count++) {
      expect(await workspace.shared(CALL)).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' });
    }
    expect(workspace.starts()).toHaveLength(1);
    expect(await workspace.shared([...CALL, '--no-shared'])).toMatchObject({ code: 0, stdout: 'hi\n' });
    expect(workspace.starts()).toHaveLength(2);
  });

  it('serve says where it listens, refuses a second one, and ends on SIGTERM', async () => {
    await using workspace = await openShared();
    const { home, runtime } = workspace;
    const serving = startBridge(['serve', '--socket'], home, { XDG_RUNTIME_DIR: runtime });
    await expect.poll(() => serving.lines.join('')).toContain(join(runtime, 'mcp-fittings', 'shared-1.sock'));
    expect(await workspace.shared(['serve', '--socket'])).toMatchObject({ code: 3 });
    expect(await workspace.shared(CALL)).toMatchObject({ code: 0, stdout: 'hi\n' });
    serving.child.kill('SIGTERM');
    expect(await serving.exited).toBe(143);
    for (const pid of workspace.starts()) await untilDead(pid);
  });

  it('a call that was checked is repeated at once, with the same output', async () => {
    await using workspace = await openShared();
    const ordinary = await workspace.shared(['--json', ...CALL]);
    const quick = await untilAtOnce(workspace, ['--json', ...CALL]);
    expect(JSON.parse(quick.stdout)).toEqual(JSON.parse(ordinary.stdout));
    expect(quick.code).toBe(0);
    const text = await untilAtOnce(workspace, ['call', 'counted/echo', '--arg', 'text=grüße']);
    expect(text.stdout).toBe('grüße\n');
    expect(workspace.starts()).toHaveLength(1);
  });

  it('it is made in the ordinary way when the configuration has changed', async () => {
    await using workspace = await openShared();
    await untilAtOnce(workspace, CALL);
    await writeFile(workspace.file, JSON.stringify({ mcpServers: {} }));
    expect(await workspace.shared(CALL)).toMatchObject({ code: 2, stdout: '' });
  });

  it('a variable that servers inherit means another server', async () => {
    await using workspace = await openShared();
    await untilAtOnce(workspace, CALL);
    expect(await workspace.shared(CALL, { LANG: 'de_DE.UTF-8' })).toMatchObject({ code: 0, stdout: 'hi\n' });
    expect(workspace.starts()).toHaveLength(2);
  });

  it('it is made in the ordinary way, and pinned, when the server lists other tools', async () => {
    await using workspace = await openShared();
    await untilAtOnce(workspace, CALL);
    expect(await workspace.shared(['call', 'counted/change'])).toMatchObject({ code: 0 });
    const run = await workspace.shared(CALL);
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toContain('fittings pins show counted echo');
  });

  it('invalid arguments are explained as ever, and the server sees no call', async () => {
    await using workspace = await openShared();
    await untilAtOnce(workspace, CALL);
    const run = await workspace.shared(['call', 'counted/echo', '--arg', 'count=x']);
    const methods = readFileSync(join(workspace.home, 'starts.methods'), 'utf8');
    expect(methods.trimEnd().endsWith('tools/list')).toBe(true);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('Usage: fittings call counted/echo');
  });

  it('a failed tool has exit code 1, and the loss of the server is unknown', async () => {
    await using workspace = await openShared();
    expect(await untilAtOnce(workspace, ['call', 'counted/fail'])).toMatchObject({ code: 1 });
    const dead = await workspace.shared(['--json', 'call', 'counted/die']);
    expect(JSON.parse(dead.stdout)).toMatchObject({ error: { code: 'PROCESS_EXITED', delivery: 'unknown' } });
    expect(await workspace.shared(CALL)).toMatchObject({ code: 0, stdout: 'hi\n' });
  });

  it('a server with secrets is never called at once, because its output is redacted', async () => {
    await using workspace = await openShared({ env: { TOKEN: 'a-long-secret-value' } });
    await workspace.shared(['call', 'counted/secret']);
    // Younger pins are not taken for granted: a server without secrets, begun later, is called at once by then.
    await using other = await openShared();
    await untilAtOnce(other, CALL);
    for (let count = 0; count < 2; count++) {
      const before = workspace.lists();
      const run = await workspace.shared(['call', 'counted/secret']);
      expect(workspace.lists()).toBeGreaterThan(before);
      expect(run.code).toBe(0);
      expect(run.stdout).not.toContain('a-long-secret-value');
    }
  });
});

describe('what is known without a host', () => {
  const place = { env: {}, stderr: {} };

  it.each([
    [['call', 'a/b', '--shared', '-a', 'x=1', '--json'], true],
    [['call', 'a/b', '-a', 'x=1'], true],
    [['call', 'a/b', '--shared', '--timeout', '3'], false],
    [['call', 'a/b', '--shared', '--args', '@file'], false],
    [['call', 'a/b', '--shared', '--args', '-'], false],
    [['call', 'a/b', '--shared', '--args', '{"x":1}'], true],
    [['call', 'a/b', 'c', '--shared'], false],
    [['list', 'call', '--shared'], false],
    [['call', 'a/b', '--shared', '--plugin', './x.js'], false],
  ])('parses %j', (argv, isKnown) => {
    expect(parseCallRequest(argv, place) !== undefined).toBe(isKnown);
  });

  it('leaves it to the ordinary way where progress is shown', () => {
    expect(
      parseCallRequest(['call', 'a/b', '--shared'], { env: {}, stderr: { isTTY: true } }),
    ).toBeUndefined();
  });

  const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

  it.each<[Record<string, unknown>, object, boolean | undefined]>([
    [{ a: 'x' }, object({ a: { type: 'string', description: 'A.' } }), true],
    [{ a: 1 }, object({ a: { type: 'string' } }), false],
    [{ a: 1.5 }, object({ a: { type: 'integer' } }), false],
    [{}, object({ a: { type: 'string' } }, { required: ['a'] }), false],
    [{ b: 1 }, object({}, { additionalProperties: false }), false],
    [{ b: 1 }, object({}), true],
    [{ a: 'z' }, object({ a: { type: 'string', enum: ['x'] } }), false],
    [{ a: 'x' }, object({ a: { type: 'string', minLength: 2 } }), undefined],
    [{ a: [] }, object({ a: { type: 'array' } }), undefined],
    [{}, object({ a: { anyOf: [] } }), undefined],
    [{}, object({}, { allOf: [] }), undefined],
    [{}, { type: 'object', properties: {}, minProperties: 1 }, undefined],
  ])('checks %j against %j', (args, schema, expected) => {
    expect(matchesPlainSchema(args, schema)).toBe(expected);
  });
});
