/** A copy of this checkout to try things in, with the same node_modules. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readManifests } from './workspace.mjs';

/** What the last commit holds. */
export function copyCommitted(root) {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-fittings-tree-'));
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x'], { cwd: directory, input: archive });
  return withModules(root, directory);
}

/** What git knows or would add, and what was built of it. */
export function copyWorkingTree(root) {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-fittings-tree-'));
  const list = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  // What was deleted and not committed is still in the list.
  for (const file of list.split('\0').filter(Boolean)) copy(root, directory, file);
  for (const { folder } of readManifests(root)) copy(root, directory, `packages/${folder}/dist`);
  return withModules(root, directory);
}

/** @returns {{ directory: string, remove: () => void }} */
function withModules(root, directory) {
  const packages = readManifests(directory).map(({ folder }) => `packages/${folder}`);
  for (const place of ['.', ...packages]) linkModules(join(root, place), join(directory, place));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }) };
}

function copy(root, directory, place) {
  if (!existsSync(join(root, place))) return;
  mkdirSync(dirname(join(directory, place)), { recursive: true });
  cpSync(join(root, place), join(directory, place), { recursive: true, preserveTimestamps: true });
}

/** Everybody else's packages are the same ones; links to our own lead to the copy, because they are relative. */
function linkModules(from, to) {
  if (!existsSync(join(from, 'node_modules'))) return;
  mkdirSync(join(to, 'node_modules'), { recursive: true });
  for (const name of readdirSync(join(from, 'node_modules'))) {
    if (name === '.cache') continue;
    const original = join(from, 'node_modules', name);
    const target = join(to, 'node_modules', name);
    if (!name.startsWith('@')) {
      symlinkSync(original, target);
      continue;
    }
    mkdirSync(target);
    for (const inner of readdirSync(original)) {
      const place = join(original, inner);
      symlinkSync(lstatSync(place).isSymbolicLink() ? readlinkSync(place) : place, join(target, inner));
    }
  }
}
