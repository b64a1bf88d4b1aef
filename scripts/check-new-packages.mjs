/** What `npm run new:package` makes passes every check, its contract suite, and its README runs: tried in a copy. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyWorkingTree } from './tree-copy.mjs';

const NEW = { transport: 'my-wire', auth: 'my-badge', store: 'my-shelf' };
const folders = Object.entries(NEW).map(([kind, name]) => `${kind}-${name}`);
const places = folders.map((folder) => `packages/${folder}`);
const tree = copyWorkingTree(process.cwd());
const failed = [];
try {
  // The checks ask git which files there are.
  step('git', 'init', '--quiet');
  for (const [kind, name] of Object.entries(NEW)) {
    step(process.execPath, 'scripts/new-package.mjs', kind, name, '--no-install');
    symlinkSync(
      `../../packages/${kind}-${name}`,
      join(tree.directory, `node_modules/@mcp-fittings/${kind}-${name}`),
    );
  }
  step('prettier', '--check', '--log-level', 'warn', ...places, 'README.md', '.changeset', 'scripts');
  step('tsc', '-b', ...places);
  step('oxlint', '--type-aware', '--deny-warnings', ...places);
  for (const place of places) step('tsc', '-p', `${place}/test/tsconfig.json`);
  step(process.execPath, 'scripts/check-direction.mjs');
  step(process.execPath, 'scripts/check-sizes.mjs');
  step(process.execPath, 'scripts/check-api.mjs', '--write');
  step('knip');
  step('vitest', 'run', ...places.map((place) => `${place}/`));
  step(process.execPath, 'scripts/check-packages.mjs', ...folders);
  for (const place of places) runReadme(place);
} finally {
  tree.remove();
}
console.log(
  failed.length === 0 ? `${folders.join(', ')}: good as they are.` : `Failed: ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function runReadme(place) {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(
    readFileSync(join(tree.directory, place, 'README.md'), 'utf8'),
  );
  const file = join(tree.directory, place, 'example.mts');
  writeFileSync(file, `export {};\n${code}`);
  step(
    'tsc',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--strict',
    '--skipLibCheck',
    '--types',
    'node',
    file,
  );
  step(process.execPath, file.replace(/\.mts$/, '.mjs'));
  rmSync(file);
}

function step(command, ...args) {
  const bin = join(tree.directory, 'node_modules/.bin');
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: tree.directory,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  const words = [command.split('/').at(-1), ...args].join(' ');
  failed.push(words);
  console.error(`\n${words}\n${stdout}${stderr}`);
}
