/**
 * `npm run check`: everything that has to hold before a change lands. Runs all steps, then says which failed.
 *   npm run check -- lint sizes          only the steps with these words in their names
 *   npm run check -- --changed [main]    what the edit at hand needs: the files and packages that differ from that branch
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { changedSteps } from './changed-steps.mjs';

/** The suites of testkit on the packages as they are built, without vitest. */
const contracts = readdirSync('packages')
  .map((folder) => `packages/${folder}/test/node/contract.mjs`)
  .filter((file) => existsSync(file));

/** @type {readonly (readonly [name: string, command: string, args: readonly string[]])[]} */
const STEPS = [
  ['format', 'prettier', ['--check', '--cache', '--log-level', 'warn', '.']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings', '.']],
  ['build', 'turbo', ['run', 'build', '--output-logs=errors-only']],
  ['types of the tests', 'tsc', ['-p', 'tsconfig.tests.json']],
  ['dependency direction', process.execPath, ['scripts/check-direction.mjs']],
  ['folder cycles', process.execPath, ['scripts/check-folders.mjs']],
  ['file sizes', process.execPath, ['scripts/check-sizes.mjs']],
  ['voice', process.execPath, ['scripts/check-voice.mjs']],
  ['replaced members of transports', process.execPath, ['scripts/check-transports.mjs']],
  ['workflows', process.execPath, ['scripts/check-workflows.mjs']],
  ['api surface', process.execPath, ['scripts/check-api.mjs']],
  ['trace of a call', process.execPath, ['scripts/trace-calls.mjs', '--check']],
  ['unused exports and dependencies', 'knip', []],
  ['tests', 'vitest', ['run']],
  ['programs', 'vitest', ['run', '--config', 'test/vitest.programs.config.ts']],
  ['contracts under node --test', process.execPath, ['--test', ...contracts]],
  ['new packages', process.execPath, ['scripts/check-new-packages.mjs']],
  ['packed packages', process.execPath, ['scripts/check-packages.mjs']],
];

const given = process.argv.slice(2);
const isChanged = given.includes('--changed');
const words = given.filter((argument) => argument !== '--changed');
const steps = isChanged
  ? changedSteps(STEPS, words[0] ?? 'main')
  : STEPS.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));

const failed = [];
for (const [name, command, args] of steps) {
  const started = Date.now();
  console.log(`\n── ${name}`);
  const path = `${process.cwd()}/node_modules/.bin:${process.env['PATH'] ?? ''}`;
  const env = { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1' };
  const { status } = spawnSync(command, args, { stdio: 'inherit', env, shell: process.platform === 'win32' });
  if (status !== 0) failed.push(name);
  console.log(`   ${status === 0 ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
