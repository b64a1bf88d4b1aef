/**
 * `npm test`: the tests of every package that changed since they passed, by the hashes of turbo, in one run of vitest, in which
 * packages share the modules they load. In CI, and with `--all`, of every package. With names of files it is just vitest.
 *   npm test -- [--all] [arguments of vitest]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2).filter((argument) => argument !== '--all');
const namesFiles = given.some((argument) => !argument.startsWith('-'));
const all = process.env['CI'] === 'true' || process.argv.includes('--all');
/** What else the result of a test depends on, for the hash. */
const env = {
  ...process.env,
  TEST_RUNTIME: `${process.platform} ${process.version}`,
  TURBO_TELEMETRY_DISABLED: '1',
};

if (namesFiles) {
  process.exitCode = vitest(given);
} else {
  const packages = testedPackages();
  const stale = all ? packages : packages.filter(({ isCached }) => !isCached);
  if (stale.length === 0) {
    console.log(
      `The tests of all ${packages.length} packages passed, and nothing changed since. \`npm test -- --all\` runs them.`,
    );
  } else {
    if (stale.length < packages.length) {
      console.log(`Changed since their tests passed: ${stale.map(({ folder }) => folder).join(', ')}.`);
    }
    process.exitCode = runTests(stale);
  }
}

/** Every package with tests, and whether turbo knows that they passed as the files are now. */
function testedPackages() {
  const { stdout, status } = run('turbo', ['run', 'test', '--dry-run=json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error('turbo could not plan the tests.');
  return JSON.parse(stdout)
    .tasks.filter(({ task, command }) => task === 'test' && command !== '<NONEXISTENT>')
    .map(({ package: name, directory, cache }) => ({
      name,
      folder: directory,
      isCached: cache.status === 'HIT',
    }));
}

function runTests(packages) {
  const place = mkdtempSync(join(tmpdir(), 'mcp-fittings-tests-'));
  const passedFile = join(place, 'passed.json');
  try {
    const reporters = given.some((argument) => argument.startsWith('--reporter'))
      ? []
      : ['--reporter=default'];
    const own = `--reporter=${join(root, 'scripts/test-reporter.mjs')}`;
    const folders = packages.map(({ folder }) => `${folder}/test/`);
    const status = vitest([...folders, ...given, ...reporters, own], { PASSED_TESTS_FILE: passedFile });
    remember(packages, JSON.parse(readFileSync(passedFile, 'utf8')));
    return status;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Has turbo keep that the tests of these folders passed: their `test` scripts end at once (scripts/test-package.mjs). */
function remember(packages, passed) {
  const names = packages.filter(({ folder }) => passed.includes(folder)).map(({ name }) => name);
  if (names.length === 0) return;
  const filters = names.map((name) => `--filter=${name}`);
  const args = ['run', 'test', '--output-logs=errors-only', ...filters];
  run('turbo', args, { stdio: 'ignore', env: { ...env, PASSED_PACKAGES: names.join(' ') } });
}

function vitest(args, more = {}) {
  return run('vitest', ['run', ...args], { stdio: 'inherit', env: { ...env, ...more } }).status ?? 1;
}

function run(program, args, options) {
  const found = join(root, 'node_modules/.bin', process.platform === 'win32' ? `${program}.cmd` : program);
  const shell = process.platform === 'win32';
  return spawnSync(found, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell,
    ...options,
  });
}
