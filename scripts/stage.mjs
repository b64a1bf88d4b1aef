/**
 * `npm run stage`: writes what is published of each public package, or of those that are named, into its folder `publish`;
 * changesets publishes that folder (`publishConfig.directory`). Each entry point is one readable file, with what entry points share beside it:
 * to load 60 small modules costs a program 22 to 35 ms, the same code in three or four files 5 to 9 ms. There are no sources and source
 * maps, which made packages two to three times as large.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { inAscii } from './in-ascii.mjs';
import { publishedBin, stageProgram } from './stage-program.mjs';
import { publicPackages } from './workspace.mjs';

export const STAGED = 'publish';
/** An export condition of this workspace, and fields that mean nothing to who installs the package. */
const SOURCE_CONDITION = '@mcp-fittings/source';
const ONLY_HERE = ['scripts', 'devDependencies', 'files'];
const AS_IT_IS = ['README.md', 'LICENSE', 'CHANGELOG.md'];

/** Fills `target` with what is published of the package in `folder`, which was built. */
export async function stage(folder, target) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  rmSync(target, { recursive: true, force: true });
  copyBuilt(folder, target, /\.d\.ts$/);
  if (findsOwnFiles(folder)) copyBuilt(folder, target, /\.js$/);
  else await bundle(manifest, folder, target);
  if (manifest.bin !== undefined) await stageProgram(manifest, folder, target);
  for (const name of AS_IT_IS) {
    if (existsSync(join(folder, name))) cpSync(join(folder, name), join(target, name));
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(manifest), undefined, 2)}\n`);
}

/** What an earlier build left of a source that was deleted since is left out. */
function builtFiles(folder, pattern) {
  const dist = join(folder, 'dist');
  return readdirSync(dist, { recursive: true })
    .filter((name) => pattern.test(name) && hasSource(folder, name.replace(pattern, '')))
    .map((name) => ({ name: join('dist', name), text: readFileSync(join(dist, name), 'utf8') }));
}

function hasSource(folder, stem) {
  return ['.ts', '.js'].some((ending) => existsSync(join(folder, 'src', `${stem}${ending}`)));
}

/** Without the comment that leads to a map, which is not published. */
function copyBuilt(folder, target, pattern) {
  for (const { name, text } of builtFiles(folder, pattern)) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  }
}

/** What is bundled is in `dist` itself, so a module there finds the manifest, and files beside it, as before. */
const BESIDE_MANIFEST = /\$\{import\.meta\.dirname\}\/\.\.\//g;

/** A module that looks for another file beside itself has to stay where it is. */
function findsOwnFiles(folder) {
  return builtFiles(folder, /\.js$/).some(({ name, text }) => {
    const isOnTop = dirname(name) === 'dist';
    return (isOnTop ? text.replaceAll(BESIDE_MANIFEST, '') : text).includes('import.meta');
  });
}

/** One file for each entry point, and beside them what they share or load later: a file costs more to load than its text. */
async function bundle({ exports }, folder, target) {
  const files = Object.values(exports).flatMap(({ default: file }) => file ?? []);
  const entries = Object.fromEntries(
    files.map((file) => [file.replace(/^\.\/dist\/|\.js$/g, ''), join(folder, file)]),
  );
  for (const { fileName, code } of await bundled(entries, join(folder, 'dist'))) {
    mkdirSync(dirname(join(target, 'dist', fileName)), { recursive: true });
    writeFileSync(join(target, 'dist', fileName), code);
  }
}

async function bundled(input, dist) {
  const built = await rolldown({
    input,
    platform: 'node',
    // Imports of other packages stay imports.
    external: (id) => /^[^./]/.test(id) && !/^[a-z]:[\\/]/i.test(id),
    plugins: [inAscii()],
  });
  const { output } = await built.generate({
    format: 'esm',
    codeSplitting: {
      groups: [{ name: sharedBy(Object.keys(input), dist), debugName: 'shared', minShareCount: 2 }],
    },
    minifyInternalExports: false,
    // The docstrings are in the declarations, where editors read them.
    comments: { jsdoc: false },
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  });
  await built.close();
  return output;
}

/** What belongs to an entry point by its folder is beside that one, so that another entry point does not load all that is shared. */
function sharedBy(entries, dist) {
  return (module) => {
    const [subject] = relative(dist, module).replace(/\.js$/, '').split(sep);
    return entries.includes(subject) ? `shared-${subject}` : 'shared';
  };
}

function published(manifest) {
  const kept = Object.entries(manifest).filter(([name]) => !ONLY_HERE.includes(name));
  const exports = Object.entries(manifest.exports).map(([path, target]) => [path, withoutSource(target)]);
  const publishConfig = { ...manifest.publishConfig, directory: undefined };
  const bin = manifest.bin && {
    bin: Object.fromEntries(Object.entries(manifest.bin).map(([name, file]) => [name, publishedBin(file)])),
  };
  return { ...Object.fromEntries(kept), ...bin, exports: Object.fromEntries(exports), publishConfig };
}

function withoutSource(target) {
  if (typeof target !== 'object') return target;
  return Object.fromEntries(Object.entries(target).filter(([name]) => name !== SOURCE_CONDITION));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(import.meta.dirname, '..');
  const only = process.argv.slice(2);
  for (const { folder } of publicPackages(root)) {
    if (only.length > 0 && !only.includes(folder)) continue;
    const place = join(root, 'packages', folder);
    await stage(place, join(place, STAGED));
  }
}
