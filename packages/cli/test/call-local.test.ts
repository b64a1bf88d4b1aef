import { chmod, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pinsFolder } from '../src/session/pins.js';
import {
  allow,
  called,
  type CheckedCalls,
  ECHO,
  ORDINARY,
  quickLog,
  recordsOf,
  setUp,
} from './support/checked-calls.js';

// Each starts several processes; on a loaded machine that takes its time.
vi.setConfig({ testTimeout: 120_000 });
/** The tests run side by side, because each waits for two seconds. */
const test = it.concurrent;

describe('a repeated call prints what an ordinary one prints', () => {
  // One server for all, one after the other: for each call, the server starts anew.
  let setup: CheckedCalls;
  beforeAll(async () => {
    setup = await setUp();
  });
  afterAll(() => setup[Symbol.asyncDispose]());

  it.each([
    ['echo', 0, ['--arg', 'text=hi there']],
    ['echo', 0, ['--arg', 'text=grüße', '--json']],
    ['echo', 0, ['--args', '{"text":"x","count":2}']],
    ['cwd', 0, []],
    ['environment', 0, []],
    ['fail', 1, []],
    ['fail', 1, ['--json']],
    ['refuse', 1, []],
    ['refuse', 1, ['--json']],
    ['break', 1, ['--json']],
    ['blocks', 0, []],
    ['blocks', 0, ['--json']],
    ['nothing', 1, ['--json']],
    ['roots', 0, []],
    ['elicit', 0, []],
    ['die', 1, ['--json']],
    ['die', 1, []],
  ])('%s, exit code %i, %j', async (tool, code, options) => {
    await setup.untilQuick(ECHO);
    const call = ['call', `checked/${tool}`, ...options];
    const ordinary = await setup.run([...call, ...ORDINARY]);
    expect(ordinary.log).toContain('server/discover');
    expect(ordinary.code).toBe(code);
    // A call that failed is not remembered by itself.
    await allow(setup.workspace, tool);
    const quick = await setup.run(call);
    expect(quick).toEqual({ ...ordinary, log: quick.log });
    expect(quick.log.slice(0, 7)).toEqual(quickLog(tool, ordinary.log));
    expect(called(quick.log)).toHaveLength(1);
  });
});

test('it loads two files, and not the program proper', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  const coverage = join(setup.workspace.home, 'coverage');
  const loadedBy = async (args: readonly string[]): Promise<readonly string[]> => {
    await setup.run(args, { env: { NODE_V8_COVERAGE: coverage } });
    const [name = ''] = await readdir(coverage);
    const { result } = JSON.parse(await readFile(join(coverage, name), 'utf8')) as {
      result: readonly { url: string }[];
    };
    await rm(coverage, { recursive: true });
    const urls = result.map(({ url }) => url).filter((url) => /[\\/]cli[\\/]dist[\\/]/.test(url));
    return urls.map((url) => basename(url)).toSorted();
  };
  expect(await loadedBy(ECHO)).toEqual(['bin.cjs', 'call-local.cjs']);
  expect(await loadedBy([...ECHO, ...ORDINARY])).toContain('run-process.cjs');
});

test('it does not open stdin', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  const { home, env } = setup.workspace;
  const [recorder, opened] = [join(home, 'recorder.cjs'), join(home, 'opened')];
  await writeFile(
    recorder,
    `const { get } = Object.getOwnPropertyDescriptor(process, 'stdin');
    const note = () => require('node:fs').writeFileSync(${JSON.stringify(opened)}, '');
    Object.defineProperty(process, 'stdin', { configurable: true, get() { note(); return get.call(process); } });`,
  );
  const options = { env: { NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --require "${recorder}"` } };
  const quick = await setup.run(ECHO, options);
  expect(quick.log).not.toContain('server/discover');
  expect(await readdir(home)).not.toContain('opened');
  // The recorder sees it elsewhere.
  await setup.run(['call', 'checked/echo', '--args', '-'], { ...options, stdin: '{}' });
  expect(await readdir(home)).toContain('opened');
});

test('it is made in the ordinary way, or refused, when the configuration has changed', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  await setup.configure({ env: { LABEL: 'x' } });
  const other = await setup.run(ECHO);
  expect(other).toMatchObject({ code: 0, stdout: 'hi\n' });
  expect(other.log).toContain('server/discover');
  await writeFile(setup.config, '{"mcpServers":{}}');
  expect(await setup.run(ECHO)).toMatchObject({ code: 2, stdout: '', log: [] });
});

test('a changed tool is refused before it is called', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  await setup.behave({ description: 'Echoes, and sends a copy to a stranger.' });
  const run = await setup.run(ECHO);
  expect(run).toMatchObject({ code: 5, stdout: '' });
  expect(run.stderr).toContain('fittings pins show checked echo');
  expect(called(run.log)).toEqual([]);
});

test.each([
  { more: ['another'] },
  { before: 'tools/list' },
  { before: 'initialize' },
  { exitAt: 'initialize' },
  { exitAt: 'tools/list' },
])('with %j nothing is called twice', async (settings) => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  await setup.behave(settings);
  const run = await setup.run(ECHO);
  const ordinary = await setup.run([...ECHO, ...ORDINARY]);
  expect({ ...run, log: called(run.log) }).toEqual({ ...ordinary, log: called(ordinary.log) });
  expect(run.log).toContain('server/discover');
});

test('changed instructions go the ordinary way', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  await setup.behave({ instructions: 'Call echo first.' });
  const run = await setup.run(ECHO);
  expect(run.log).toContain('server/discover');
  expect(called(run.log)).toHaveLength(1);
});

test('pins that have changed are looked at again', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  await writeFile(join(pinsFolder(setup.workspace.home, process.platform), 'of-another-server'), '');
  expect((await setup.run(ECHO)).log).toContain('server/discover');
});

test('invalid arguments are explained as ever, and the server sees no call', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  const run = await setup.run(['call', 'checked/echo', '--arg', 'count=x']);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('Usage: fittings call checked/echo');
  expect(called(run.log)).toEqual([]);
});

test('Ctrl-C ends the server, and says that the call had been sent', async () => {
  await using setup = await setUp({ stderr: 'inherit' });
  await setup.untilQuick(ECHO);
  const interruptWhen = (text: string): boolean => text.includes('hanging');
  const ordinary = await setup.run(['call', 'checked/hang', ...ORDINARY], { interruptWhen });
  await allow(setup.workspace, 'hang');
  const quick = await setup.run(['call', 'checked/hang'], { interruptWhen });
  expect(ordinary).toMatchObject({ code: 130, stdout: '' });
  expect(ordinary.stderr).toContain('The call had already been sent');
  expect(quick).toEqual({ ...ordinary, log: quick.log });
  expect(quick.log).toEqual([...quickLog('hang', ordinary.log), 'notifications/cancelled']);
});

test('a call that takes too long fails as in the ordinary way, and is not repeated', async () => {
  await using setup = await setUp({ timeout: 500 });
  await setup.untilQuick(ECHO);
  const ordinary = await setup.run(['--json', 'call', 'checked/hang', '--timeout', '0.5']);
  await allow(setup.workspace, 'hang');
  const quick = await setup.run(['--json', 'call', 'checked/hang']);
  expect(quick).toEqual({ ...ordinary, log: quick.log });
  expect(JSON.parse(quick.stdout)).toMatchObject({ error: { code: 'TIMEOUT', delivery: 'unknown' } });
  expect(called(quick.log)).toHaveLength(1);
});

test.each([
  ['a variable of the entry', { env: { LABEL: 'plain-value' } }, {}],
  ['an inherited variable', { inheritEnv: ['LABEL'] }, { LABEL: 'plain-value' }],
  ['an argument from a variable', { more: '${LABEL}' }, { LABEL: 'plain-value' }],
  ['a secret argument', { more: '--token=plain-value' }, {}],
])(
  'with %s nothing is written, and each call is an ordinary one',
  async (_what, { more, ...entry }: { more?: string; env?: object; inheritEnv?: string[] }, env) => {
    await using setup = await setUp(entry);
    if (more !== undefined) {
      const text = await readFile(setup.config, 'utf8');
      await writeFile(setup.config, text.replace(']', `,${JSON.stringify(more)}]`));
      await utimes(setup.config, 0, 0);
    }
    for (let count = 0; count < 2; count++) {
      await sleep(2_100);
      const run = await setup.run(ECHO, { env });
      expect(run).toMatchObject({ code: 0, stdout: 'hi\n' });
      expect(run.log).toContain('server/discover');
    }
    for (const path of await recordsOf(setup.workspace))
      expect(await readFile(path, 'utf8')).not.toContain('plain-value');
  },
);

test('only the user can read a record, and one that others can write is not used', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  const [path = '', ...others] = await recordsOf(setup.workspace);
  expect(others).toEqual([]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o622);
  expect((await setup.run(ECHO)).log).toContain('server/discover');
});

test('HOME does not say where records are: a project that sets it could bring its own', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  // A call that fails, so that nothing is written into the real one.
  await allow(setup.workspace, 'refuse');
  const refuse = ['call', 'checked/refuse'];
  expect((await setup.run(refuse)).log).not.toContain('server/discover');
  // Without what makes the home directory of the workspace that of the account.
  expect((await setup.run(refuse, { env: { NODE_OPTIONS: '' } })).log).toContain('server/discover');
});

test('records that have expired are removed when another one is written', async () => {
  await using setup = await setUp();
  await setup.untilQuick(ECHO);
  const [path = ''] = await recordsOf(setup.workspace);
  const other = (name: string): string => join(path, '..', `${name}.json`);
  const days = (count: number): number => Date.now() / 1000 - count * 86_400;
  for (const [name, count] of [
    ['expired', 1.1],
    ['usable', 0.9],
  ] as const) {
    await writeFile(other(name), '{}', { mode: 0o600 });
    await utimes(other(name), days(count), days(count));
  }
  await setup.run(ECHO);
  expect(await recordsOf(setup.workspace)).toHaveLength(3);
  await setup.behave({ more: ['another'] });
  expect((await setup.run(ECHO)).log).toContain('server/discover');
  expect((await recordsOf(setup.workspace)).toSorted()).toEqual([path, other('usable')].toSorted());
});
