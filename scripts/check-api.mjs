/**
 * `api/<package>[.<entry>].api.md` holds the exported types of every entry point, as users see them. A change of the
 * surface fails here until `npm run api` has written it down, so that a reviewer reads it as a change of a text.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { entryPoints } from './workspace.mjs';

const root = process.cwd();
const write = process.argv.includes('--write');
const reports = join(root, 'api');
const fresh = mkdtempSync(join(tmpdir(), 'mcp-fittings-api-'));
const temporary = join(fresh, 'temporary');
const silent = { default: { logLevel: 'none' } };

/** One compilation for all of them; the compiler is API Extractor's own. */
const compilerOptions = {
  module: 'NodeNext',
  target: 'ES2022',
  lib: ['ES2023', 'ESNext.Disposable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

function configOf({ folder, name, types }) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: join(root, 'packages', folder),
      mainEntryPointFilePath: types,
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { compilerOptions, files: [types] } },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: fresh,
        reportTempFolder: temporary,
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: silent,
        extractorMessageReporting: silent,
        tsdocMessageReporting: silent,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'packages', folder, 'package.json'),
  });
}

const EXPORTED = /^export (?:abstract )?(?:class|const|function|interface|type) (\w+)/gm;
const exports = new Set();
const forgotten = [];
/** The report that has a declaration, by the package and the text. */
const told = new Map();
const declared = entryPoints(root);
const entries = declared.filter(({ types }) => existsSync(types));
const problems = declared
  .filter(({ types }) => !existsSync(types))
  .map(({ name }) => `${name} is not built: run "npm run build" first.`);
try {
  mkdirSync(reports, { recursive: true });
  const configs = entries.map((entry) => ({ ...entry, config: configOf(entry) }));
  const compilerState = CompilerState.create(configs[0].config, {
    additionalEntryPoints: entries.map(({ types }) => types),
  });
  for (const { folder, name, config } of configs) {
    Extractor.invoke(config, {
      localBuild: true,
      compilerState,
      messageCallback: (message) => {
        message.handled = true;
        if (message.messageId === 'ae-forgotten-export') forgotten.push({ folder, name, text: message.text });
      },
    });
    const report = `${name}.api.md`;
    const whole = normalized(readFileSync(join(fresh, report), 'utf8'));
    problems.push(...undocumented(whole).map((line) => `api/${report}: ${line} has no docstring`));
    for (const [, exported] of whole.matchAll(EXPORTED)) exports.add(`${folder} ${exported}`);
    const now = toldOnce(whole, folder, name);
    const reviewed = join(reports, report);
    if (existsSync(reviewed) && readFileSync(reviewed, 'utf8') === now) continue;
    if (write) {
      writeFileSync(reviewed, now);
      console.log(`written: api/${report}`);
    } else {
      writeFileSync(join(fresh, report), now);
      problems.push(`api/${report}\n${differenceOf(name)}`);
    }
  }
  // A type of a signature may be exported by another entry point of its package.
  for (const { folder, name, text } of forgotten) {
    const symbol = /"(\w+)"/.exec(text)?.[1];
    if (!exports.has(`${folder} ${symbol}`)) problems.push(`${name}: ${text}`);
  }
  const known = new Set(declared.map(({ name }) => `${name}.api.md`));
  for (const file of readdirSync(reports).filter((name) => !known.has(name))) {
    if (write) rmSync(join(reports, file));
    else problems.push(`api/${file} belongs to no entry point`);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  if (!write)
    console.error(
      'If users may see this change: "npm run api", and read what it wrote before you commit it.',
    );
  process.exitCode = 1;
} else console.log(`${entries.length} entry points are as api/ says.`);

/** The extractor said `import type` of one build and `import` of the next; users see no difference. */
function normalized(report) {
  return report.replace(/^import type \{/gm, 'import {');
}

/** Shortens each declaration of several lines that another entry point of the package has too, so that a change of it is read once. */
function toldOnce(report, folder, name) {
  return report.replace(
    /^(export )?((?:abstract )?(?:class|interface|type) (\w+)(?:[^\n]*\n)(?:[^\n]+\n)+)/gm,
    (all, exported = '', text, symbol) => {
      const first = told.get(`${folder} ${text}`);
      if (first === undefined) told.set(`${folder} ${text}`, name);
      return first === undefined ? all : `${exported}type ${symbol} // as in ${first}.api.md\n`;
    },
  );
}

/** The declarations that a user meets without a word of explanation. */
function undocumented(report) {
  const lines = report.split('\n');
  return lines.flatMap((line, index) => {
    if (!line.includes('(undocumented)')) return [];
    return [
      lines
        .slice(index + 1)
        .find((next) => !next.trim().startsWith('//'))
        ?.trim() ?? 'a declaration',
    ];
  });
}

function differenceOf(name) {
  const before = join(reports, `${name}.api.md`);
  if (!existsSync(before)) return 'is missing: a new entry point';
  const args = ['diff', '--no-index', '--no-color', '--unified=2', before, join(fresh, `${name}.api.md`)];
  const { stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return stdout.split('\n').slice(4, 200).join('\n');
}
