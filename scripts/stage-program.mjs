/**
 * The program of a package with a `bin`: each file of `bin` alone, so that it loads no other file before it knows what it
 * has to do, and everything that it loads later (`import('./name.js')`) with all packages that this needs.
 * docs/decisions/038-one-command-line-one-path-per-command.md says why.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { inAscii } from './in-ascii.mjs';

/** A native module is loaded by the helper process of the keychain, from its own package. */
const STAYS_OUTSIDE = /^node:|^@napi-rs\//;
/** The program proper is made of several files. What else a file of `bin` imports is one file, beside it. */
const PROGRAM = 'run-process.js';
/** What few runs need becomes a file of its own there, even if a file imports it that is otherwise whole. */
const SELDOM_NEEDED = 'elicitation.js';
/** What declares all commands, and which modules a call loads with `import()`, in this order, by the name of the file they are put into. */
const COMMANDS = 'cli/dist/main.js';
const OF_A_CALL = {
  // Runs for long: it is not to have what it does not need.
  shared: ['cli/dist/commands/serve-shared.js'],
  call: [
    'cli/dist/run-call.js',
    'cli/dist/output/process-output.js',
    'cli/dist/session/session.js',
    'cli/dist/stored-lists/remember-call.js',
  ],

  tools: ['tools/dist/create-tools.js', 'tools/dist/pins/tool-pins.js', 'store-file/dist/file-records.js'],
};
/** `import()` is not available to a file that is run with compiled code of an earlier run, so that this file has it. */
const NATIVE_IMPORT = 'native-import.cjs';
const NOTICES = 'THIRD-PARTY-LICENSES.txt';

/** CommonJS: Node.js 24 takes 3 to 4 of its 20 ms more to start with an ES module, and needs its loader for nothing else here. */
export const publishedBin = (file) => file.replace(/\.js$/, '.cjs');

export async function stageProgram({ bin }, folder, target) {
  const modules = new Set();
  const write = async (input, { plugins, external, groups, ...output }) => {
    const built = await rolldown({
      input,
      external,
      plugins,
      platform: 'node',
      // A module of a package that has no `exports` is preferred to its CommonJS file, which cannot be bundled as well.
      resolve: { mainFields: ['module', 'main'], conditionNames: ['node', 'import', 'default'] },
      checks: { ineffectiveDynamicImport: false },
    });
    const { output: files } = await built.write({
      dir: join(target, 'dist'),
      comments: { jsdoc: false },
      ...output,
      ...(groups && { codeSplitting: { groups: groups((await built.generate(output)).output) } }),
    });
    await built.close();
    for (const { moduleIds = [] } of files) for (const id of moduleIds) modules.add(id);
  };
  const later = new Map();
  for (const file of Object.values(bin)) {
    // Each file that it may load is one file, with its own copy of what others need too: a run loads one of them.
    const files = new Map([[basename(file, '.js'), join(folder, file)]]);
    for (const [name, input] of files) {
      await write(input, {
        external: STAYS_OUTSIDE,
        plugins: [importedLater(later, files, input === join(folder, file)), inAscii(), requiredLate()],
        format: 'cjs',
        entryFileNames: publishedBin(`${name}.js`),
        codeSplitting: false,
      });
    }
  }
  await write(Object.fromEntries(later), {
    external: STAYS_OUTSIDE,
    plugins: [besideTheirPackage(folder), withoutValidator(), inAscii(), requiredLate(), importedNatively()],
    format: 'cjs',
    groups: (files) => filesOfACall(folder, files),
    entryFileNames: publishedBin('[name].js'),
    chunkFileNames: publishedBin('program-[name].js'),
  });
  writeFileSync(
    join(target, 'dist', NATIVE_IMPORT),
    'exports.importModule = (specifier) => import(specifier);\n',
  );
  writeFileSync(join(target, 'dist', NOTICES), noticesOf(modules));
  await addHelp(folder, target);
}

/**
 * What a file of `bin` imports with `import()` becomes an entry of its own. What these import so becomes a part of them, unless it is
 * seldom needed.
 * @param later Receives the program proper.
 * @param files Receives the others.
 */
function importedLater(later, files, isBin) {
  const required = [];
  return {
    name: 'imported-later',
    resolveDynamicImport(id, importer) {
      if (typeof id !== 'string' || !id.startsWith('./')) return undefined;
      const isProgram = basename(id) === PROGRAM;
      if (!isBin && !isProgram && basename(id) !== SELDOM_NEEDED) return undefined;
      (isProgram ? later : files).set(basename(id, '.js'), join(dirname(importer), id));
      const name = publishedBin(basename(id));
      required.push(name);
      return { id: `./${name}`, external: true };
    },
    // To load a CommonJS file with `import()`, Node.js would start its loader for ES modules.
    renderChunk: (code) =>
      required.reduce(
        (text, name) =>
          text.replaceAll(`import("./${name}")`, `Promise.resolve().then(() => require("./${name}"))`),
        code,
      ),
  };
}

/** A file that a module finds beside itself (`new URL('./worker.js', import.meta.url)`) stays in the package of the module. */
function besideTheirPackage(folder) {
  return {
    name: 'beside-their-package',
    transform(code, id) {
      if (id.startsWith(folder) || !code.includes("new URL('./")) return undefined;
      const place = packageOf(id);
      const entry = dirname(mainOf(place.folder));
      return code.replaceAll(/new URL\('(\.\/[^']+)', import\.meta\.url\)/g, (_all, file) => {
        const path = relative(entry, join(dirname(id), file)).replaceAll('\\', '/');
        return `new URL('./${path}', require('node:url').pathToFileURL(require.resolve('${place.name}')))`;
      });
    },
  };
}

/**
 * Modules of Node.js are loaded by what uses them, and not by the file that could: most runs do not need all of them. `import()` of
 * one would load the loader for ES modules, and is not available to a file that is run with compiled code of an earlier run.
 */
function requiredLate() {
  return {
    name: 'required-late',
    renderChunk(code) {
      let text = code.replaceAll(/\bimport\(("node:[\w/]+")\)/g, 'Promise.resolve().then(() => require($1))');
      for (const [line, name, module] of code.matchAll(/^let (node_\w+) = require\("(node:[\w/]+)"\);\n/gm)) {
        // What is needed as a whole stays where it is.
        if (new RegExp(`\\b${name}\\b(?!\\.| = require)`).test(code)) continue;
        text = text.replace(line, '').replaceAll(new RegExp(`\\b${name}\\.`, 'g'), `(require("${module}")).`);
      }
      return text;
    },
  };
}

/** What is still imported by then is not a part of the program: plugins of the user, and native modules. */
function importedNatively() {
  return {
    name: 'imported-natively',
    // Not in a template, which is a program of its own.
    renderChunk: (code) =>
      code.replaceAll(/(?<![`\w.$])import\(/g, `require("./${NATIVE_IMPORT}").importModule(`),
  };
}

/**
 * The SDKs make a validator of their own, of 290 KB, unless they are given one, as all of our packages do. It would be loaded
 * nevertheless.
 */
function withoutValidator() {
  const shims = '\0shims';
  return {
    name: 'without-validator',
    resolveId: (id) => (/^@modelcontextprotocol\/(?:client|server)\/_shims$/.test(id) ? shims : undefined),
    load: (id) =>
      id === shims
        ? `export { default as process } from 'node:process';
           export const CORS_IS_POSSIBLE = false;
           export class DefaultJsonSchemaValidator {
             constructor() { throw new Error('The option jsonSchemaValidator is missing.'); }
           }`
        : undefined,
  };
}

/**
 * Puts what `fittings call` loads, which is most of what other commands load as well, into few files: to find and link a file takes
 * as long as to compile 20 KB.
 * @param files What would be written otherwise: one file for each set of entry points that share its modules.
 * @returns groups of modules for `codeSplitting`. What two of them need is in the first.
 */
function filesOfACall(folder, files) {
  const chunks = new Map(files.map((file) => [file.fileName, file]));
  /** A module of our packages, and all that is loaded with it. */
  const loadedWith = (module) => {
    const id = join(folder, '..', module);
    const chunk = files.find(({ moduleIds }) => moduleIds?.includes(id));
    if (chunk === undefined) throw new Error(`The program has no module ${module}.`);
    const names = new Set([chunk.fileName]);
    for (const name of names) for (const each of chunks.get(name)?.imports ?? []) names.add(each);
    return [...names].flatMap((name) => chunks.get(name)?.moduleIds ?? []);
  };
  const commands = new Set(loadedWith(COMMANDS));
  const groups = new Map();
  for (const [name, modules] of Object.entries(OF_A_CALL)) {
    for (const id of modules.flatMap(loadedWith))
      if (!groups.has(id)) groups.set(id, commands.has(id) ? 'base' : name);
  }
  const names = ['base', ...Object.keys(OF_A_CALL)];
  return names.map((name, index) => ({
    name,
    test: (id) => groups.get(id) === name,
    priority: names.length - index,
  }));
}

function mainOf(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, exports['.'].default);
}

/** The licenses of packages of others, whose text has to be where a copy of their code is. */
function noticesOf(modules) {
  const packages = new Map();
  for (const id of modules) {
    if (!existsSync(id)) continue;
    const found = packageOf(id);
    if (found.name.startsWith('@mcp-fittings/')) continue;
    packages.set(`${found.name} ${found.version}`, found);
  }
  const notices = [...packages.keys()]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((title) => {
      const { folder, license } = packages.get(title);
      const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
      const text =
        file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
      return `${title}\n\n${text}\n`;
    });
  return notices.join(`\n${'-'.repeat(80)}\n\n`);
}

function packageOf(id) {
  for (let folder = dirname(id); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) continue;
    const { name, version, license } = JSON.parse(readFileSync(file, 'utf8'));
    if (name !== undefined && version !== undefined) return { name, version, license, folder };
  }
}

/** The help of each command as data, if the package has a function for it: commander is not loaded to print it. */
async function addHelp(folder, target) {
  const file = join(folder, 'dist/help-texts.js');
  if (!existsSync(file)) return;
  const { helpTexts } = await import(pathToFileURL(file).href);
  mkdirSync(join(target, 'help'));
  for (const [name, help] of Object.entries(helpTexts()))
    writeFileSync(join(target, 'help', `${name}.json`), JSON.stringify(help));
}
