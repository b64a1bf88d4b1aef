/**
 * What npm would publish, looked at as strangers will: each public package, or those that are named, is packed, its
 * contents are checked by publint and attw, and its size is printed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stage } from './stage.mjs';
import { publicPackages } from './workspace.mjs';

const root = process.cwd();
const bin = (name) => join(root, 'node_modules/.bin', name);
const target = mkdtempSync(join(tmpdir(), 'mcp-fittings-pack-'));
const only = process.argv.slice(2);
const failures = [];

function run(label, command, args, cwd) {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    failures.push(label);
    console.error(`${label}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
    return undefined;
  }
}

try {
  for (const { folder } of publicPackages(root)) {
    if (only.length > 0 && !only.includes(folder)) continue;
    const directory = join(target, folder);
    await stage(join(root, 'packages', folder), directory);
    const packed = run(
      `npm pack of ${folder}`,
      'npm',
      ['pack', '--json', '--pack-destination', target],
      directory,
    );
    if (packed === undefined) continue;
    const [{ filename, size, unpackedSize, files }] = JSON.parse(packed.slice(packed.indexOf('[')));
    const tarball = join(target, filename.replace('@', '').replace('/', '-'));
    for (const needed of ['README.md', 'LICENSE', 'package.json']) {
      if (!files.some(({ path }) => path === needed)) failures.push(`${folder} is packed without ${needed}`);
    }
    run(`publint of ${folder}`, bin('publint'), ['--strict', tarball], root);
    run(`attw of ${folder}`, bin('attw'), [tarball, '--profile', 'esm-only'], root);
    console.log(
      `${folder.padEnd(22)} ${kb(size)} packed, ${kb(unpackedSize)} unpacked, ${files.length} files`,
    );
  }
} finally {
  rmSync(target, { recursive: true, force: true });
}

for (const failure of failures) console.error(`failed: ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;

function kb(bytes) {
  return `${(bytes / 1024).toFixed(1).padStart(7)} kB`;
}
