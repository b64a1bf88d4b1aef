/**
 * The program of a package with a `bin`: one bundle with all packages that it needs. What it imports with `import()` is loaded
 * when it is needed, from a file of its own: finding and linking 200 files takes Node.js longer than running them.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * A native module is loaded by the helper process of the keychain, from its own package. The polyfill is for versions of Node.js
 * without web streams, which do not run this program.
 */
const STAYS_OUTSIDE = /^node:|^@napi-rs\/|^web-streams-polyfill\//;
/** The folder of the program. It is CommonJS: Node.js takes a quarter longer to start with an ES module. */
const PROGRAM = 'program';
export const publishedBin = (file) => `${PROGRAM}/${basename(file)}`;
const NOTICES = 'THIRD-PARTY-LICENSES.txt';

export async function stageProgram({ bin }, folder, target) {
  const built = await rolldown({
    input: Object.fromEntries(Object.values(bin).map((file) => [basename(file, '.js'), join(folder, file)])),
    external: STAYS_OUTSIDE,
    platform: 'node',
    // A module of a package that has no `exports` is preferred to its CommonJS file, which cannot be bundled as well.
    resolve: { mainFields: ['module', 'main'], conditionNames: ['node', 'import', 'default'] },
    checks: { ineffectiveDynamicImport: false },
    onLog(level, log, report) {
      // It would be left to the user's installation, which does not have it.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      report(level, log);
    },
  });
  const { output } = await built.write({
    dir: join(target, PROGRAM),
    format: 'cjs',
    minify: { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: true } },
    // What is for a bundler is of no use here, and the licenses are in the notices.
    comments: { annotation: false, legal: false },
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  });
  await built.close();
  writeFileSync(join(target, PROGRAM, 'package.json'), '{ "type": "commonjs" }\n');
  writeNotices(
    output.flatMap(({ moduleIds = [] }) => moduleIds),
    join(target, PROGRAM),
  );
}

/** Writes the licenses of packages of others, whose text has to be where a copy of their code is. */
export function writeNotices(modules, folder) {
  const packages = new Map();
  for (const id of modules) {
    if (!existsSync(id)) continue;
    const found = packageOf(id);
    if (found.name.startsWith('@mcp-fittings/')) continue;
    packages.set(`${found.name} ${found.version}`, found);
  }
  const titles = new Map();
  for (const title of [...packages.keys()].toSorted((a, b) => (a < b ? -1 : 1))) {
    const { folder, license } = packages.get(title);
    const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
    const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
    titles.set(text, [...(titles.get(text) ?? []), title]);
  }
  const notices = [...titles].map(([text, named]) => `${named.join('\n')}\n\n${text}\n`);
  if (notices.length > 0) writeFileSync(join(folder, NOTICES), notices.join(`\n${'-'.repeat(80)}\n\n`));
}

function packageOf(id) {
  for (let folder = dirname(id); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) continue;
    const { name, version, license } = JSON.parse(readFileSync(file, 'utf8'));
    if (name !== undefined && version !== undefined) return { name, version, license, folder };
  }
}
