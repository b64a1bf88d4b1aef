/**
 * A server of the tests as one file, with all packages that it imports. The official SDKs consist of hundreds of modules: it takes Node.js
 * longer to find and link them than to run them, and the tests start some hundred such processes.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, parse, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { CACHE, freshFolder, isKept } from './cache-folder.mjs';

const ROOT = join(import.meta.dirname, '..');
const OFFICIAL = ['everything', 'filesystem', 'memory'];

/**
 * Bundles it, unless that was done since one of its modules changed.
 * @param {string} script its path.
 * @returns {Promise<string>} the path of the file to run, which behaves as the script does.
 */
export async function bundled(script) {
  const known = join(CACHE, `bundled-${hash(relative(ROOT, script))}.json`);
  if (isKept(known)) {
    const { program, modules, state } = JSON.parse(readFileSync(known, 'utf8'));
    if (isKept(dirname(program)) && state === stateOf(modules)) return program;
  }
  const folder = freshFolder();
  const file = `${parse(script).name}.mjs`;
  const modules = await bundle(script, folder, file);
  const program = join(folder, file);
  const index = join(folder, 'index.json');
  writeFileSync(index, JSON.stringify({ program, modules, state: stateOf(modules) }));
  // At once: another process may be reading what was there before.
  renameSync(index, known);
  return program;
}

/**
 * One of the servers of github.com/modelcontextprotocol/servers that are installed here.
 * @param {'everything' | 'filesystem' | 'memory'} name
 */
export function officialServer(name) {
  const main = `@modelcontextprotocol/server-${name}/dist/index.js`;
  return bundled(createRequire(import.meta.url).resolve(main));
}

/** @returns {Promise<Record<string, string>>} all of them, by the name of their package. */
export async function officialServers() {
  const each = OFFICIAL.map(async (name) => [`server-${name}`, await officialServer(name)]);
  return Object.fromEntries(await Promise.all(each));
}

async function bundle(input, dir, entryFileNames) {
  const built = await rolldown({
    input,
    // A native module stays where it is.
    external: /^node:|^@napi-rs\//,
    plugins: [whereTheyWere(input)],
    platform: 'node',
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await built.write({ dir, format: 'esm', entryFileNames, chunkFileNames: '[name].mjs' });
  await built.close();
  return output.flatMap(({ moduleIds = [] }) => moduleIds).filter((id) => existsSync(id));
}

/** A module finds its files by its own address; the script itself compares it with what was started. */
function whereTheyWere(script) {
  return {
    name: 'where-they-were',
    transform: (code, id) =>
      id === script || !code.includes('import.meta.url')
        ? undefined
        : code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  };
}

const hash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** npm gives all files of packages the same date. */
function stateOf(modules) {
  const files = [...modules, import.meta.filename].filter((file) => existsSync(file));
  return hash(files.map((file) => `${file} ${hash(readFileSync(file))}`).join('\n'));
}
