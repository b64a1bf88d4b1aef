/** Wine, prepared to run Node.js for Windows: a prefix of its own, and what Debian's Wine 8 lacks. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, freshFolder, isKept } from '../../scripts/cache-folder.mjs';

const here = import.meta.dirname;
const PROGRAMS = ['/usr/lib/wine/wine64', '/usr/bin/wine64', '/usr/bin/wine'];
const COMPILER = 'x86_64-w64-mingw32-gcc';
/** Of files that are made here, Wine prefers its own. */
const OVERRIDES = 'taskkill.exe=n;bcryptprimitives=n;winemenubuilder.exe=d;mscoree,mshtml=';

export const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

/** @returns the program; throws if it is not installed, which is never a reason to run nothing. */
function wineProgram() {
  const program = PROGRAMS.find((path) => existsSync(path));
  if (program !== undefined) return program;
  throw new Error('Wine is missing: apt-get install wine wine64 gcc-mingw-w64-x86-64-win32');
}

function environment(prefix) {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    WINEPREFIX: prefix,
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: OVERRIDES,
    DISPLAY: '',
    // Otherwise no file can have a name that is not ASCII.
    LC_ALL: 'C.UTF-8',
  };
}

function must(program, args, env) {
  const { status, stderr, error } = spawnSync(program, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}

/** @returns the folder of a prefix, made once for each state of this folder: it takes about 15 s. */
export function preparedPrefix() {
  const [taskkill, prng] = ['taskkill.c', 'bcryptprimitives.c'].map((name) => join(here, name));
  const hash = createHash('sha256').update(String(preparedPrefix));
  for (const source of [taskkill, prng]) hash.update(readFileSync(source));
  const folder = join(CACHE, `wine-${hash.digest('hex').slice(0, 16)}`);
  if (isKept(folder)) return folder;
  const fresh = freshFolder();
  const env = environment(fresh);
  const wine = wineProgram();
  must(wine, ['wineboot', '-i'], env);
  must(wine, ['winecfg', '-v', 'win10'], env);
  const system = join(fresh, 'drive_c/windows/system32');
  const library = join(system, 'bcryptprimitives.dll');
  const asLibrary = ['-shared', '-nostartfiles', '-Wl,-e,0'];
  must(COMPILER, ['-O2', '-s', ...asLibrary, '-o', library, prng, '-ladvapi32']);
  const program = join(fresh, 'taskkill.exe');
  must(COMPILER, ['-O2', '-s', '-o', program, taskkill]);
  // It is a link into Wine.
  rmSync(join(system, 'taskkill.exe'), { force: true });
  copyFileSync(program, join(system, 'taskkill.exe'));
  spawnSync('/usr/lib/wine/wineserver64', ['-w'], { env, timeout: 10_000 });
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The parts of our dependencies that are made for each system. npm installs those of Linux only. */
const NATIVES = {
  '@napi-rs/keyring-win32-x64-msvc': '@napi-rs/keyring',
  '@rolldown/binding-win32-x64-msvc': 'rolldown',
  'lightningcss-win32-x64-msvc': 'lightningcss',
};

function copyNatives(modules) {
  const root = join(here, '../../node_modules');
  const versionOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  for (const [native, program] of Object.entries(NATIVES)) {
    const version = versionOf(join(root, program));
    if (versionOf(join(modules, native)) !== version)
      throw new Error(`test/windows/package.json needs ${native} ${version}, as ${program} has.`);
    cpSync(join(modules, native), join(root, native), { recursive: true });
  }
}

/**
 * Returns how to start Node.js for Windows.
 * @param {'20' | '22'} version
 * @returns {{ command: string, program: string, env: Record<string, string | undefined> }}
 */
export function nodeForWindows(version) {
  const modules = join(here, 'node_modules');
  const program = join(modules, `node-${version}/bin/node.exe`);
  if (!existsSync(program)) throw new Error('Node.js for Windows is missing: npm ci --prefix test/windows');
  copyNatives(modules);
  const env = {
    ...environment(preparedPrefix()),
    UNDER_WINE: 'true',
    NODE_SKIP_PLATFORM_CHECK: '1',
    // From where `node` itself is found.
    WINEPATH: windowsPath(join(modules, `node-${version}/bin`)),
    NODE_OPTIONS: `--require ${windowsPath(join(here, 'keep-alive.cjs'))}`,
    NO_COLOR: '1',
  };
  return { command: wineProgram(), program, env };
}

/**
 * Runs Node.js for Windows in the current folder.
 * @param {'20' | '22'} version
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
export function runNode(version, args) {
  const { command, program, env } = nodeForWindows(version);
  const child = spawn(command, [program, ...args], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
