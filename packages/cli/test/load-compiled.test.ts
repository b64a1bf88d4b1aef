import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BIN } from './support/bridge-process.js';

let folder: string;
let code: string;
const LOADER = fileURLToPath(new URL('../dist/load-compiled.js', import.meta.url));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fittings-code-'));
  code = join(folder, 'code');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const PROGRAM = `
exports.answer = function answer() { return require('node:path').basename(__filename) + ' VERSION'; };`;

/** Loads the file in a process of its own. Returns what it exports, and whether V8 took the code of an earlier run. */
function load(name = 'part'): { readonly text: string; readonly wasKnown: boolean } {
  const program = `
    import vm from 'node:vm';
    import { syncBuiltinESMExports } from 'node:module';
    const { Script } = vm;
    let wasKnown = false;
    vm.Script = class extends Script {
      constructor(text, options) { super(text, options); wasKnown = this.cachedDataRejected === false; }
    };
    syncBuiltinESMExports();
    const { loadCompiled } = await import(process.argv[1]);
    const [, , name, folder, codeFolder] = process.argv;
    const { exports, keep } = await loadCompiled(name, async () => ({ answer: () => 'otherwise' }), { folder, codeFolder });
    const text = exports.answer();
    keep();
    console.log(JSON.stringify({ text, wasKnown }));`;
  const args = ['--input-type=module', '-e', program, LOADER, name, folder, code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as ReturnType<typeof load>;
}

it('loads a file with the code of the last run, which only the user can read', async () => {
  await writeFile(join(folder, 'part.cjs'), PROGRAM);
  expect(load()).toEqual({ text: 'part.cjs VERSION', wasKnown: false });
  const [name = '', ...others] = await readdir(code);
  expect(others).toEqual([]);
  expect((await stat(join(code, name))).mode & 0o777).toBe(0o600);
  expect((await stat(code)).mode & 0o777).toBe(0o700);
  expect(load()).toEqual({ text: 'part.cjs VERSION', wasKnown: true });
});

it('does not use code of another state of the file, of the same size and time', async () => {
  await writeFile(join(folder, 'part.cjs'), PROGRAM);
  await utimes(join(folder, 'part.cjs'), 0, 0);
  load();
  await writeFile(join(folder, 'part.cjs'), PROGRAM.replace('VERSION', 'CHANGED'));
  await utimes(join(folder, 'part.cjs'), 0, 0);
  expect(load()).toEqual({ text: 'part.cjs CHANGED', wasKnown: false });
  expect(load()).toEqual({ text: 'part.cjs CHANGED', wasKnown: true });
});

it('does not use code that others can write, or that is cut off', async () => {
  await writeFile(join(folder, 'part.cjs'), PROGRAM);
  load();
  const [name = ''] = await readdir(code);
  const path = join(code, name);
  await chmod(path, 0o666);
  expect(load().wasKnown).toBe(false);
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, 1100));
  expect(load()).toEqual({ text: 'part.cjs VERSION', wasKnown: false });
  expect(load().wasKnown).toBe(true);
});

it('does the same for the files beside it that it requires, each of which is loaded once', async () => {
  await writeFile(
    join(folder, 'whole.cjs'),
    `exports.name = 'whole';
     const { ask } = require('./asked.cjs');
     exports.answer = () => ask() + (require('./asked.cjs').ask === ask);`,
  );
  // It requires the first one, which is not done yet.
  await writeFile(
    join(folder, 'asked.cjs'),
    `const whole = require('./whole.cjs');
     exports.ask = () => whole.name + ' ' + require.resolve('node:fs') + ' ';`,
  );
  expect(load('whole').text).toBe('whole node:fs true');
  const names = (await readdir(code)).filter((name) => /^(?:whole|asked)-/.test(name));
  expect(names).toHaveLength(2);
  expect(load('whole')).toEqual({ text: 'whole node:fs true', wasKnown: true });
});

it('loads a build that was not published otherwise', () => {
  expect(load('missing').text).toBe('otherwise');
});

it('loads modules of Node.js only where they are used, and without its loader for ES modules', async () => {
  for (const name of ['call-local', 'call-shared', 'list-at-once']) {
    const text = await readFile(join(BIN, `../${name}.cjs`), 'utf8');
    expect(text).not.toMatch(/\bimport\(/);
    expect(text).not.toMatch(/^(?:let|const|var) \w+ = require\("node:/m);
  }
});
