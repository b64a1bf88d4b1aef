/**
 * `node test/corpus/typescript.mjs`: writes TypeScript for every tool of test/corpus/tools.json (see gather.mjs), as bindings for code mode
 * and as types and clients for programs, and compiles all of it under strict options with both compilers. Prints sizes, times,
 * and where types accept more than the schemas. Fails if a tool has no function or a compiler complains.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateClient, generateTypes, toTypeScript } from '@mcp-fittings/tools/code-mode';

const COMPILERS = ['typescript', 'typescript-5.9'];
const OPTIONS =
  '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noUnusedLocals --isolatedModules --erasableSyntaxOnly ' +
  '--verbatimModuleSyntax --noEmit --skipLibCheck --pretty false --target es2022 --module nodenext --types node';

const here = import.meta.dirname;
const corpus = join(here, 'tools.json');
if (!existsSync(corpus)) {
  console.error('There is no corpus: run "node test/corpus/gather.mjs".');
  process.exit(2);
}
const { servers } = JSON.parse(readFileSync(corpus, 'utf8'));
const tools = servers.flatMap(({ name, tools: own }) => own.map((tool) => ({ ...tool, server: name })));
const jsonCharacters = JSON.stringify(
  tools.map(({ name, description, inputSchema, outputSchema }) => ({
    name,
    description,
    inputSchema,
    outputSchema,
  })),
).length;

let problems = 0;
const files = {};
for (const closed of [false, true]) {
  const started = performance.now();
  const bindings = toTypeScript(tools, { closed });
  const ms = performance.now() - started;
  const functions = bindings.servers.flatMap((server) => server.functions);
  const skipped = bindings.servers.flatMap((server) => server.skipped);
  problems += skipped.length;
  console.log(
    `${closed ? 'closed' : 'open  '}: ${functions.length} functions of ${bindings.servers.length} servers in ${ms.toFixed(0)} ms; ` +
      `${bindings.declarations.length} characters, ${((bindings.declarations.length / jsonCharacters) * 100).toFixed(0)} % of the JSON`,
  );
  for (const { tool, error } of skipped) console.error(`no function for ${tool}: ${error.message}`);
  files[`declared-${closed ? 'closed' : 'open'}.ts`] = `${bindings.declarations}export {};\n`;
  if (closed) continue;
  const keywords = new Map();
  for (const { differences } of functions)
    for (const { keyword } of differences) keywords.set(keyword, (keywords.get(keyword) ?? 0) + 1);
  console.log(
    `  a type accepts more at: ${[...keywords].map(([keyword, count]) => `${keyword} ${count}`).join(', ')}`,
  );
  console.log(
    `  functions with an output schema: ${functions.filter(({ structured }) => structured).length}`,
  );
  console.log(
    `  functions whose types accept more: ${functions.filter(({ differences }) => differences.length > 0).length}`,
  );
}
for (const { name } of servers) {
  files[`${name}/types.ts`] = generateTypes(tools, { server: name }).text;
  for (const caller of ['host', 'sdk', 'sdk-v2'])
    files[`${name}/${caller}.ts`] = generateClient(tools, { server: name, caller }).text;
}

const folder = mkdtempSync(join(tmpdir(), 'fittings-corpus-types-'));
try {
  const modules = join(here, '../../node_modules');
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const size = Object.values(files).reduce((sum, text) => sum + text.length, 0);
  console.log(`${Object.keys(files).length} files, ${size} characters`);
  for (const compiler of COMPILERS) {
    const tsc = join(modules, compiler, 'bin/tsc');
    const version = execFileSync(process.execPath, [tsc, '--version'], { encoding: 'utf8' }).trim();
    const started = performance.now();
    const { status, stdout } = spawnSync(
      process.execPath,
      [tsc, ...OPTIONS.split(' '), ...Object.keys(files)],
      { cwd: folder, encoding: 'utf8', maxBuffer: 100_000_000 },
    );
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const complaints = stdout.split('\n').filter((line) => line !== '');
    console.log(`${version}: ${complaints.length} complaints in ${seconds} s`);
    for (const line of complaints.slice(0, 20)) console.error(line);
    if (status !== 0) problems++;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = problems === 0 ? 0 : 1;
