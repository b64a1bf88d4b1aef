/** An empty folder in which a user starts a program of their own. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './run.mjs';

const checkout = join(import.meta.dirname, '../..');
const tsc = join(checkout, 'node_modules/typescript/bin/tsc');
const EXAMPLE_MS = 120_000;

/** @returns {string} the folder */
export function startProject(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'project', private: true, type: 'module' }),
  );
  return folder;
}

export function addFile(folder, path, text) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** `names` as in `npm install <names>`. */
export function install(folder, names, env) {
  return run('npm', ['install', '--no-progress', '--ignore-scripts', ...names], { cwd: folder, env });
}

/** Checks the types of `files` against what was published, and makes JavaScript of them in `out/`. */
export function compile(folder, files) {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    typeRoots: [join(checkout, 'node_modules/@types')],
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'out',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return run(process.execPath, [tsc, '-p', '.'], { cwd: folder });
}

export function node(folder, args, program = process.execPath) {
  return run(program, args, { cwd: folder, timeout: EXAMPLE_MS });
}

/** Everything that was installed, with versions; nested copies count. */
export function installed(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([place]) => place !== '')
    .map(([place, { version }]) => ({
      name: place.slice(place.lastIndexOf('node_modules/') + 13),
      version,
      place,
    }));
}
