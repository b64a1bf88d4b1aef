/**
 * `npm run stage`: writes what is published of each public package, or of those that are named, into its folder `publish`;
 * changesets publishes that folder (`publishConfig.directory`). Each entry point is one readable file, with what entry points share beside it:
 * to load 60 small modules costs a program 22 to 35 ms, the same code in three or four files 5 to 9 ms. There are no sources, source
 * maps and declarations of private parts, which made packages two to three times as large.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { publishedBin, stageProgram, writeNotices } from './stage-program.mjs';
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
  copyInto(target, declarations(manifest, folder));
  if (findsOwnFiles(folder)) copyInto(target, builtFiles(folder, /\.js$/));
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

/** Returns the declarations that an entry point leads to. Others cannot be imported. */
function declarations({ exports }, folder) {
  const types = Object.values(exports).flatMap((target) => target.types ?? []);
  return ledTo(types, folder, '.d.ts').values();
}

/** Returns these files and all that they import of their package, by name. */
function ledTo(names, folder, ending) {
  const found = new Map();
  const visit = (name) => {
    if (found.has(name)) return;
    const text = readFileSync(join(folder, name), 'utf8');
    found.set(name, { name, text });
    for (const [, target] of text.matchAll(/\b(?:from|import)\s*\(?['"](\.[^'"]+)\.js['"]/g))
      visit(join(dirname(name), `${target}${ending}`));
  };
  for (const name of names) visit(join(name));
  return found;
}

/** Without the comment that leads to a map, which is not published. */
function copyInto(target, files) {
  for (const { name, text } of files) {
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

/**
 * One file for each file that `exports` names, and beside them what they share or load later: a file costs more to load than its
 * text. Entry points that `exports` leads to one file are published as that file. What is imported and is only in `devDependencies`
 * becomes part of them: docs/decisions/035-packages-in-commonjs-are-published-inside-ours.md says why.
 */
async function bundle(
  { exports, imports = {}, devDependencies = {}, peerDependencies = {} },
  folder,
  target,
) {
  const moduleOf = (file) => file.replace(/^\.\/dist\/|\.js$/g, '');
  const files = Object.entries(exports).flatMap(([path, { default: file }]) =>
    file === undefined ? [] : [[path.replace('./', ''), moduleOf(file)]],
  );
  // What `imports` chooses by a condition is chosen by who loads it.
  for (const choices of Object.values(imports))
    for (const file of Object.values(withoutSource(choices))) files.push([moduleOf(file), moduleOf(file)]);
  const built = builtFiles(folder, /\.js$/).map(({ text }) => text);
  const inlined = Object.keys(devDependencies).filter(
    (name) =>
      !Object.hasOwn(peerDependencies, name) &&
      built.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`)),
  );
  const web = exports['./fetch'] && ledTo([exports['./fetch'].default], folder, '.js');
  const isForWeb = (id) => web === undefined || web.has(relative(folder, id));
  const output = await bundled(new Map(files), join(folder, 'dist'), inlined, isForWeb);
  for (const { fileName, code } of output) {
    mkdirSync(dirname(join(target, 'dist', fileName)), { recursive: true });
    writeFileSync(join(target, 'dist', fileName), code);
  }
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds).filter((id) => !id.startsWith(folder));
  writeNotices(modules, target);
}

async function bundled(files, dist, inlined, isForWeb) {
  const isOwn = (importer) => importer === undefined || importer.startsWith(dist + sep);
  const isInlined = (id) => inlined.some((name) => id === name || id.startsWith(`${name}/`));
  const find = createRequire(join(dist, 'index.js'));
  const built = await rolldown({
    input: Object.fromEntries([...files.values()].map((file) => [file, join(dist, `${file}.js`)])),
    // The file of an entry point also exports what others need of it, which saves a file beside it.
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    // Imports of other packages stay imports.
    external: (id, importer) =>
      /^[^./]/.test(id) && !/^[a-z]:[\\/]/i.test(id) && isOwn(importer) && !isInlined(id),
    resolve: { mainFields: ['module', 'main'] },
    // Native parts that `ws` uses if they are installed.
    transform: {
      define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
    },
    // A `require` would stop a bundle in the format of ES modules.
    plugins: [
      NO_REQUIRE,
      ...(inlined.length > 0 ? [LEFT_OUT, esmExternalRequirePlugin({ external: REQUIRED })] : []),
    ],
  });
  const { output } = await built.generate({
    format: 'esm',
    codeSplitting: {
      // Else an entry point brings what it imports into its file, and another one that needs some of that loads all of it.
      includeDependenciesRecursively: false,
      groups: [
        { name: ownerOf(files, dist), debugName: 'entry points', priority: 1 },
        // What is inlined is often loaded later, and is not for every platform. What a browser does not load may import of Node.js.
        {
          name: (id) => (!id.startsWith(dist + sep) ? 'inlined' : isForWeb(id) ? 'shared' : 'shared-node'),
          debugName: 'shared',
          minShareCount: 2,
        },
      ],
    },
    minifyInternalExports: false,
    // The docstrings are in the declarations, where editors read them.
    comments: { jsdoc: false },
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    paths: (id) => firstOfFile(id, find),
  });
  await built.close();
  return output;
}

/**
 * Returns the first entry point of ours that is the same file: Node.js resolves each specifier on its own, so to import six subjects
 * that are one file took longer than to load it. What is one file has to stay one file in all versions that `^` accepts.
 */
function firstOfFile(id, { resolve }) {
  const [, name, subject] = /^(@mcp-fittings\/[^/]+)\/(.+)$/.exec(id) ?? [];
  if (subject === undefined) return id;
  const { exports } = JSON.parse(readFileSync(resolve(`${name}/package.json`), 'utf8'));
  const file = exports[`./${subject}`].default;
  const [first] = Object.entries(exports).find(([, target]) => target.default === file);
  return name + first.slice(1);
}

/** The runtime of rolldown imports this for a `require` that no bundle here has. A browser does not have it. */
const NO_REQUIRE = {
  name: 'no-require',
  renderChunk: (code) => code.replace(/^import "node:module";\n/, ''),
};

/** What packages in CommonJS may require. Node.js 20 does not have `node:sqlite`. */
const REQUIRED = [/^node:(?!sqlite$)/, ...builtinModules];
/** Parts of undici that are not used: a cache in SQLite, and HTTP/2. */
const LEFT_OUT = {
  name: 'left-out',
  resolveId: (id) => (id === 'node:sqlite' || id === './client-h2.js' ? '\0left-out' : undefined),
  load: (id) => (id === '\0left-out' ? 'export {};' : undefined),
};

/** What belongs to an entry point by its folder is in the file of that one, so that another entry point does not load all that is shared. */
function ownerOf(files, dist) {
  const owners = new Map(
    [...files].filter(([subject, file]) => subject !== file || existsSync(join(dist, subject))),
  );
  owners.delete('.');
  const names = new Set(owners.values());
  return (module) => {
    const [subject] = relative(dist, module).replace(/\.js$/, '').split(sep);
    return owners.get(subject) ?? (names.has(subject) ? subject : undefined);
  };
}

function published(manifest) {
  const kept = Object.entries(manifest).filter(([name]) => !ONLY_HERE.includes(name));
  const chosen = (targets) =>
    Object.fromEntries(Object.entries(targets).map(([path, target]) => [path, withoutSource(target)]));
  const publishConfig = { ...manifest.publishConfig, directory: undefined };
  const bin = manifest.bin && {
    bin: Object.fromEntries(Object.entries(manifest.bin).map(([name, file]) => [name, publishedBin(file)])),
  };
  const imports = manifest.imports && { imports: chosen(manifest.imports) };
  return {
    ...Object.fromEntries(kept),
    ...bin,
    ...imports,
    exports: chosen(manifest.exports),
    publishConfig,
  };
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
