import { cp, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, GOOD, hostileClone, PERSONAL_FILES, type HostileClone } from './support/hostile-clone.js';

let place: HostileClone;
const outputs: string[] = [];
beforeAll(async () => {
  place = await hostileClone();
});
afterAll(() => place[Symbol.asyncDispose]());
afterEach(() => {
  outputs.length = 0;
});

async function fittings(args: readonly string[], where?: Parameters<HostileClone['fittings']>[1]) {
  const run = await place.fittings(args, where);
  outputs.push(run.stdout, run.stderr);
  return run;
}

/** No program of the clone ran, its owner was sent nothing, and nothing of the environment was shown. */
function expectNothingCrossed(): void {
  expect(place.tripped()).toBe('');
  expect(place.requests).toEqual([]);
  expect(outputs.join('')).not.toContain(CANARY);
}

describe('in a clone from a stranger nothing runs unasked', () => {
  it.each([
    [['status'], undefined],
    [['list'], 0],
    [['list', 'tools'], undefined],
    [['list', 'resources', '--verbose'], undefined],
    [['doctor'], undefined],
    [['doctor', 'evil'], undefined],
    [['doctor', 'web'], undefined],
    [['approve'], 5],
    [['approve', '--json'], 5],
    [['export', '--to', 'vscode'], undefined],
    [['call', 'evil/run'], 5],
    [['call', 'tool/run'], 5],
    [['call', 'script/run'], 5],
    [['call', 'web/run'], 5],
    [['call', 'helped/run'], 5],
    [['read', 'web/secret://one'], 5],
    [['prompt', 'evil/one'], 5],
    [['complete', 'prompt', 'evil/one', 'x', 'y'], 5],
    [['login', 'signed'], 5],
    [['logout', 'signed'], undefined],
    [['bridge', 'evil'], 5],
    [['bridge', 'web'], 5],
    [['completion', 'bash'], 0],
  ])('fittings %j', async (args, code) => {
    const run = await fittings(args);
    expect(run.stdout + run.stderr).not.toBe('');
    if (code !== undefined) expect(run, JSON.stringify(run)).toMatchObject({ code });
    expectNothingCrossed();
  });

  it.each(Object.keys(PERSONAL_FILES))('with the files of the layout %s', async (layout) => {
    const runs = await Promise.all(
      [['status'], ['list', 'tools'], ['doctor', 'tool'], ['call', 'tool/run'], ['bridge', 'evil']].map(
        (args) => fittings(['--layout', layout, ...args], { here: true }),
      ),
    );
    expect(
      runs.slice(3).map(({ code }) => code),
      JSON.stringify(runs),
    ).toEqual([5, 5]);
    expectNothingCrossed();
  });

  it('add writes to the file of the person, also where the clone looks like a home directory', async () => {
    const run = await fittings(['add', 'added', '--', 'no-such-program-anywhere']);
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain(place.home);
    expect(run.stdout).not.toContain(place.clone);
    expect((await fittings(['remove', 'added'])).code).toBe(0);
    expectNothingCrossed();
  });
});

describe('the servers of the person stay theirs in a clone', () => {
  it.each(Object.keys(PERSONAL_FILES).filter((layout) => layout !== 'mcp-json'))(
    'layout %s: `npx` is the one of the person, and starts in their home directory',
    async (layout) => {
      const before = place.ownRuns().length;
      const call = await fittings(['--layout', layout, 'call', 'mine/add', 'a=1', 'b=2']);
      expect(call, JSON.stringify(call)).toMatchObject({ code: 0, stdout: expect.stringContaining('3') });
      const runs = place.ownRuns().slice(before);
      expect(runs.length).toBeGreaterThan(0);
      expect(new Set(runs)).toEqual(new Set([place.home]));
      expectNothingCrossed();
    },
  );

  it('a real npx asks the registry of the person, and runs no program of the clone with that name', async () => {
    const run = await fittings(['call', 'real/run'], { home: join(place.root, 'npx-home') });
    expect(run.code).not.toBe(0);
    expect(place.ownRegistry.join('\n')).toContain('/planted-tool');
    expectNothingCrossed();
  });
});

describe('an approval is for one definition in one folder', () => {
  const run: typeof fittings = (args, where) => fittings(args, { ...where, here: true });
  const servers = (definition: object) => ({ mcpServers: { good: definition } });
  const CALL = ['call', 'good/add', 'a=1', 'b=2'];

  /** A project that the person trusts, with one approved server. */
  async function approvedProject(name: string): Promise<string> {
    await mkdir(join(place.root, name, '.git'), { recursive: true });
    await place.write(`${name}/.mcp.json`, servers(GOOD));
    const cwd = join(place.root, name);
    expect((await run(CALL, { cwd })).code).toBe(5);
    const { stdout } = await run(['approve', 'good', '--json'], { cwd });
    const { servers: waiting } = JSON.parse(stdout) as { servers: [{ hash: string }] };
    expect((await run(['approve', 'good', '--hash', waiting[0].hash], { cwd })).code).toBe(0);
    expect(await run(CALL, { cwd })).toMatchObject({ code: 0, stdout: expect.stringContaining('3') });
    return cwd;
  }

  it('what was approved runs, and nothing that was changed later', async () => {
    const cwd = await approvedProject('changed');
    const changes: readonly object[] = [
      { ...GOOD, command: './npx' },
      { ...GOOD, args: [...GOOD.args, '--more'] },
      { ...GOOD, env: { NODE_OPTIONS: '--require ./evil.cjs' } },
      { ...GOOD, cwd: 'node_modules' },
      { ...GOOD, launcher: './npx' },
    ];
    for (const changed of changes) {
      await place.write('changed/.mcp.json', servers(changed));
      expect(await run(CALL, { cwd }), JSON.stringify(changed)).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('has changed since you approved it'),
      });
    }
    await place.write('changed/.mcp.json', servers(GOOD));
    expect((await run(CALL, { cwd })).code).toBe(0);
    expectNothingCrossed();
  });

  it('a copy with another spelling of the name is another project, and so is another case of a server', async () => {
    const cwd = await approvedProject('cased');
    const other = join(place.root, 'other');
    await cp(cwd, other, { recursive: true });
    // Where the file system does not tell case apart both are one folder, which is approved.
    const upper = join(place.root, 'CASED');
    await rename(other, upper).catch(() => undefined);
    const isOneFolder = process.platform === 'darwin' || process.platform === 'win32';
    expect((await run(CALL, { cwd: upper })).code).toBe(isOneFolder ? 0 : 5);
    await place.write('cased/.mcp.json', { mcpServers: { good: GOOD, Good: GOOD, 'good ': GOOD } });
    expect((await run(['call', 'Good/add', 'a=1', 'b=2'], { cwd })).code).toBe(5);
    expect((await run(['call', 'good /add', 'a=1', 'b=2'], { cwd })).code).not.toBe(0);
    expectNothingCrossed();
  });

  it('what one person approved another person of the machine is asked about', async () => {
    const cwd = await approvedProject('shared');
    const home = join(place.root, 'second-home');
    await mkdir(home);
    expect((await run(CALL, { cwd, home })).code).toBe(5);
    expect((await run(['approve', 'good', '--never'], { cwd, home })).code).toBe(0);
    expect((await run(CALL, { cwd })).code).toBe(0);
    expectNothingCrossed();
  });
});

it('the traps of these tests work: what a person approves does run and does ask', async () => {
  await using trapped = await hostileClone();
  const { stdout } = await trapped.fittings(['approve', '--json']);
  const { servers } = JSON.parse(stdout) as { servers: readonly { name: string; hash: string }[] };
  for (const { name, hash } of servers) {
    if (!['evil', 'script', 'tool', 'web'].includes(name)) continue;
    expect(await trapped.fittings(['approve', name, '--hash', hash])).toMatchObject({ code: 0 });
    await trapped.fittings(['call', `${name}/run`, '--timeout', '5']);
  }
  expect(trapped.tripped()).toMatch(/clone\/evil\.cjs[^]*clone\/npx/);
  expect(trapped.requests.join('\n')).toContain(CANARY);
});
