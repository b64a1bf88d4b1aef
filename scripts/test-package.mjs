/**
 * The script `test` of a package, which turbo runs and keeps the result of. `npm test` runs vitest once for all packages and
 * names in PASSED_PACKAGES those that passed; without it the tests of this package run here.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const root = join(import.meta.dirname, '..');
const { name } = JSON.parse(readFileSync('package.json', 'utf8'));
if (!process.env['PASSED_PACKAGES']?.split(' ').includes(name)) {
  const folder = relative(root, process.cwd()).split(sep).join('/');
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(process.execPath, [program, 'run', `${folder}/test/`], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
