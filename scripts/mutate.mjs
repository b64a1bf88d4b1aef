/**
 * Makes seeded single-point changes in the sources of packages and runs the tests that reach them. A change that no test notices
 * shows what is not tested.
 *
 *   node scripts/mutate.mjs --draw=FOLDER [--seed=HASH] [--count=60] [--without=packages/…]…
 *   node scripts/mutate.mjs --run=FOLDER [--only=001,002] [--others] [--limit=300]
 *
 * --draw writes each change as a patch, chosen from all by the seed (the last commit). --without leaves out paths that begin so.
 * Build first. --run applies each patch to a copy of the working tree and runs the tests of its package, with --others also those of the
 * packages that depend on it. --limit is for each run of tests, in seconds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript-5.9';
import { findPoints } from './mutate/points.mjs';
import { copyWorkingTree } from './tree-copy.mjs';
import { readManifests } from './workspace.mjs';

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/.bin/tsc');
const RUN_TESTS = fileURLToPath(new URL('mutate/run-tests.mjs', import.meta.url));
const { values } = parseArgs({
  options: {
    draw: { type: 'string' },
    run: { type: 'string' },
    seed: { type: 'string', default: git('rev-parse', 'HEAD').trim() },
    count: { type: 'string', default: '60' },
    without: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    others: { type: 'boolean', default: false },
    limit: { type: 'string', default: '300' },
  },
});

const tree = copyWorkingTree(ROOT);
const limit = Number(values.limit);
/** The process that runs tests. */
let child;
process.once('SIGINT', () => {
  endTests();
  tree.remove();
  process.exit(130);
});
try {
  if (values.draw !== undefined) drawPatches(values.draw);
  if (values.run !== undefined) await runPatches(values.run);
} finally {
  tree.remove();
}

function drawPatches(folder) {
  mkdirSync(folder, { recursive: true });
  const files = git('ls-files', 'packages/*/src/*.ts')
    .split('\n')
    .filter((file) => file !== '' && !file.endsWith('/index.ts'))
    .filter((file) => !values.without.some((prefix) => file.startsWith(prefix)));
  const points = files.flatMap((file) => {
    const text = read(file);
    return findPoints(file, text).map((point) => ({ ...point, file, line: lineOf(text, point.start) }));
  });
  const count = Number(values.count);
  const lines = new Set();
  let [drawn, tried] = [0, 0];
  for (const point of shuffled(points, values.seed)) {
    if (drawn === count) break;
    const { file, line, start, end, operator, replacement } = point;
    if (lines.has(`${file}:${line}`)) continue;
    tried += 1;
    const text = read(file);
    const changed = text.slice(0, start) + replacement + text.slice(end);
    write(file, changed);
    if (compiles(packageOf(file))) {
      drawn += 1;
      lines.add(`${file}:${line}`);
      const number = String(drawn).padStart(3, '0');
      const place = file.slice('packages/'.length, -'.ts'.length).replace('/src/', '-').replaceAll('/', '-');
      const name = `${number}-${place}-L${line}-${operator.replaceAll(' ', '-')}.patch`;
      writeFileSync(join(folder, name), `package ${packageOf(file)}, ${operator}\n${diff(file, text)}`);
      console.log(name);
    }
    write(file, text);
  }
  console.log(
    `${drawn} of ${points.length} points in ${files.length} files; ${tried - drawn} did not compile.`,
  );
}

async function runPatches(folder) {
  const only = values.only?.split(',');
  const totals = {};
  const tests = new Set();
  console.log('| change | where | operator | result | seconds |\n| --- | --- | --- | --- | --- |');
  for (const name of readdirSync(folder).toSorted()) {
    const number = name.slice(0, 3);
    if (!name.endsWith('.patch') || (only && !only.includes(number))) continue;
    const patch = readFileSync(join(folder, name), 'utf8');
    const file = /^--- a\/(.*)$/m.exec(patch)[1];
    const operator = /^package [^,]*, (.*)$/m.exec(patch)[1];
    const { kind, text, where = file, seconds = 0, test } = await runPatch(patch, file);
    totals[kind] = (totals[kind] ?? 0) + 1;
    if (test) tests.add(test);
    console.log(`| ${number} | ${where} | ${operator} | ${kind}${text ? `: ${text}` : ''} | ${seconds} |`);
  }
  const summary = Object.entries(totals).map(([kind, count]) => `${count} ${kind}`);
  console.log(`\n${summary.join(', ')}.`);
  if (tests.size > 0) await verify(tests);
}

async function runPatch(patch, file) {
  if (!existsSync(join(tree.directory, file)))
    return { kind: 'does not apply', text: 'the file is gone; carry the patch over by hand' };
  const original = read(file);
  // With less context a patch still finds a line whose neighbors changed; a person has to look at that.
  const exact = apply(patch, 3);
  if (!exact && !apply(patch, 1)) return { kind: 'does not apply', text: 'carry the patch over by hand' };
  const line = lineOf(original, firstDifference(original, read(file)));
  const where = `${file}:${line}${exact ? '' : ' (neighbors changed)'}`;
  try {
    replace(file, read(file));
    const own = await runTests([`packages/${packageOf(file)}/test/`], file, false);
    if (own.kind || !values.others) return { kind: 'survived', ...own, where };
    const others = dependentsOf(packageOf(file)).map((folder) => `packages/${folder}/test/`);
    if (others.length === 0) return { kind: 'survived', ...own, where };
    const other = await runTests(others, file, true);
    const seconds = own.seconds + other.seconds;
    if (other.kind?.startsWith('killed'))
      return { ...other, kind: 'killed by another package', where, seconds };
    return { kind: 'survived', ...other, where, seconds };
  } finally {
    replace(file, original);
  }
}

/** Runs tests until one fails. `kind` is absent if none does. */
async function runTests(filters, file, related) {
  const { timedOut, interrupted, failed, seconds } = await startTests(
    { filters, near: file, related, bail: true },
    limit,
  );
  if (interrupted !== undefined)
    return { kind: 'interrupted', text: `the process of the tests ended with ${interrupted}`, seconds };
  if (timedOut) return { kind: 'timed out', text: `no test failed in ${limit} s`, seconds };
  if (failed.length === 0) return { seconds };
  const [{ file: test, title, timedOut: slow }] = failed;
  const text = cell(test === undefined ? title : `${test}: ${title}`);
  return { kind: slow ? 'killed by a time-out' : 'killed', test, text, seconds };
}

/** Runs the files of tests that noticed a change once more without it: what fails then proves nothing. */
async function verify(tests) {
  const { timedOut, interrupted, failed } = await startTests({ filters: [...tests], bail: false }, limit * 4);
  if (timedOut || interrupted !== undefined)
    console.log('\nThe same tests did not end in time without a change.');
  for (const test of new Set(failed.map(({ file }) => file)))
    console.log(`\nFails without a change too, so that what it noticed does not count: ${test}`);
}

/** A process of its own, so that a test that never ends can be ended with what it started. */
async function startTests(options, seconds) {
  const result = join(tree.directory, 'result-of-tests.json');
  writeFileSync(result, '{}');
  const started = Date.now();
  child = spawn(process.execPath, [RUN_TESTS, JSON.stringify({ ...options, result })], {
    cwd: tree.directory,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, CI: 'true' },
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    endTests();
  }, seconds * 1000);
  const ending = await new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  clearTimeout(timer);
  endTests();
  const { failed } = JSON.parse(readFileSync(result, 'utf8'));
  // Without a result, nothing failed that could be named: the machine may have ended the process.
  const interrupted = failed === undefined && !timedOut ? ending : undefined;
  return { timedOut, interrupted, failed: failed ?? [], seconds: Math.round((Date.now() - started) / 1000) };
}

/** Ends the tests and what they started. */
function endTests() {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Every package whose tests may reach this one. */
function dependentsOf(folder) {
  const manifests = readManifests(tree.directory);
  const found = new Set([folder]);
  for (const name of found) {
    for (const { folder: other, manifest } of manifests) {
      const { dependencies, devDependencies, peerDependencies } = manifest;
      const all = { ...dependencies, ...devDependencies, ...peerDependencies };
      if (all[`@mcp-fittings/${name}`] !== undefined) found.add(other);
    }
  }
  found.delete(folder);
  return [...found];
}

/** Sorts by a hash of the seed and the place, so that a point keeps its rank when others come or go. */
function shuffled(points, seed) {
  const keyed = points.map((point) => ({
    point,
    key: createHash('sha256')
      .update([seed, point.file, point.start, point.operator, point.replacement].join('\0'))
      .digest('hex'),
  }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ point }) => point);
}

/** @returns whether the package compiles. */
function compiles(folder) {
  const args = ['-b', `packages/${folder}`];
  return spawnSync(TSC, args, { cwd: tree.directory, stdio: 'ignore', timeout: 300_000 }).status === 0;
}

/** Writes a source file and what is built of it, which the programs that tests start run. */
function replace(file, text) {
  write(file, text);
  const { ScriptTarget, ModuleKind } = ts;
  const compilerOptions = {
    target: ScriptTarget.ES2022,
    module: ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  };
  const { outputText } = ts.transpileModule(text, { compilerOptions });
  write(file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'), outputText);
}

/** The unified diff from `original` to what the file holds now. */
function diff(file, original) {
  const before = join(tree.directory, 'before-the-change.ts');
  writeFileSync(before, original);
  const args = ['diff', '--no-index', '--no-color', '--unified=3', relative(tree.directory, before), file];
  const { stdout } = spawnSync('git', args, { cwd: tree.directory, encoding: 'utf8' });
  return `--- a/${file}\n+++ b/${file}\n${stdout.slice(stdout.indexOf('@@'))}`;
}

function apply(patch, context) {
  const args = ['apply', `-C${context}`, '-'];
  return spawnSync('git', args, { cwd: tree.directory, input: patch }).status === 0;
}

function git(...args) {
  const { stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

function read(file) {
  return readFileSync(join(tree.directory, file), 'utf8');
}

function write(file, text) {
  writeFileSync(join(tree.directory, file), text);
}

function packageOf(file) {
  return file.split('/')[1];
}

function lineOf(text, position) {
  return text.slice(0, position).split('\n').length;
}

function firstDifference(one, other) {
  let position = 0;
  while (position < one.length && one[position] === other[position]) position += 1;
  return position;
}

/** Text that fits into a cell of a table. */
function cell(text) {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 200);
}
