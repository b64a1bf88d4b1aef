/**
 * Counts what a tool call crosses, from a traced run of the packages as they are built: over Streamable HTTP, refused with a 401 and
 * sent again with another token, run for a model, over stdio and through a gateway; and what `loadConfig` does.
 *
 *     node scripts/trace-calls.mjs [--verbose] [--json]
 *     node scripts/trace-calls.mjs --write    the table in docs/architecture.md
 *     node scripts/trace-calls.mjs --check    fails if that table has other figures
 *
 * Each was done once before. Counted is what is in `packages/`: not undici, oauth4webapi or Node.js.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';

const PAGE = fileURLToPath(new URL('../docs/architecture.md', import.meta.url));
const TABLE = /(<!-- counted by scripts\/trace-calls.mjs -->)[^]*?(<!-- end -->)/;
const CALLS = fileURLToPath(new URL('trace-calls/calls.mjs', import.meta.url));
/** V8 forgets counts of functions when it collects garbage. This is more room than two calls and their traces need. */
const NO_COLLECTION = ['--min-semi-space-size=128', '--max-semi-space-size=128'];
const DEFINITIONS = `files      source files of which at least one function was entered
functions  distinct functions that were entered, or resumed after an await
calls      how often they were
frames     of these, the ones that the message passes through. At a request: those on the stack, across each await, from
           host.callTool to undici's dispatch. At the value: those on the stack from undici's callback to the
           connection, and the ones that resume after it because they awaited it`;

/** All figures of one call, and the lists behind them. */
function summarize(name, phases, known = []) {
  const files = filesOf(allOf(phases));
  const knownFiles = new Set(filesOf(allOf(known)));
  const packages = {};
  for (const file of files) packages[file.split('/')[1]] = (packages[file.split('/')[1]] ?? 0) + 1;
  const starts = ['start', ...phases.map(({ end }) => end)];
  return {
    name,
    files: files.length,
    /** Those that one call does not cross. */
    ownFiles: files.filter((file) => !knownFiles.has(file)).length,
    functions: new Set(allOf(phases).map(placeOf)).size,
    calls: phases.reduce((sum, { calls }) => sum + calls, 0),
    packages,
    phases: phases.map(({ end, functions, frames }, index) => ({
      from: starts[index],
      to: end,
      files: filesOf(functions).length,
      functions: functions.length,
      frames: frames?.length,
      lists: { functions: functions.map(placeOf), frames: frames?.map(placeOf) },
    })),
  };
}

function allOf(phases) {
  return phases.flatMap(({ functions }) => functions);
}

function filesOf(functions) {
  return [...new Set(functions.map(({ file }) => file))].toSorted((a, b) => (a < b ? -1 : 1));
}

function print({ name, files, ownFiles, functions, calls, packages, phases }, verbose) {
  const parts = Object.entries(packages).map(([folder, count]) => `${folder} ${count}`);
  console.log(
    `\n${name}: ${files} files of ${parts.length} packages, ${functions} functions, ${calls} calls of them`,
  );
  if (ownFiles < files) console.log(`  ${ownFiles} of the files are not crossed by one call`);
  console.log(`  ${parts.join(', ')}\n`);
  const width = Math.max(...phases.map(({ from, to }) => from.length + to.length + ' → '.length));
  const row = (label, ...figures) =>
    console.log(`  ${label.padEnd(width)}${figures.map((figure) => String(figure).padStart(11)).join('')}`);
  row('from → to', 'files', 'functions', 'frames');
  for (const phase of phases)
    row(`${phase.from} → ${phase.to}`, phase.files, phase.functions, phase.frames ?? '–');
  if (!verbose) return;
  for (const { from, to, lists } of phases) {
    console.log(`\n  ${from} → ${to}: functions`);
    for (const each of lists.functions) console.log(`    ${each}`);
    if (lists.frames === undefined) continue;
    console.log(`\n  ${from} → ${to}: frames, the first one first`);
    for (const each of lists.frames) console.log(`    ${each}`);
  }
}

function placeOf({ file, line, column, name }) {
  return `${file}:${line}:${column} ${name}`;
}

/** The table of docs/architecture.md. */
function tableOf(calls) {
  const rows = calls.map(({ name, files, ownFiles, calls: entered, phases }) => {
    const [down, up] = [phases[0].frames, phases.at(-1).frames].map((frames) => frames ?? '');
    return `| ${name} | ${files} | ${ownFiles < files ? ownFiles : ''} | ${entered} | ${down} | ${up} |`;
  });
  return [
    '| work | files | not in one call | calls of functions | frames down | frames up |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

const options = {
  json: { type: 'boolean' },
  verbose: { type: 'boolean' },
  write: { type: 'boolean' },
  check: { type: 'boolean' },
};
const { values } = parseArgs({ options });
const output = execFileSync(process.execPath, [...NO_COLLECTION, CALLS], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [call, refresh, run, stdio, load, gateway] = JSON.parse(output);
const calls = [
  summarize('a call over HTTP', call),
  summarize('refused with a 401, refreshed and sent again', refresh, call),
  summarize('`tools.run`', run, call),
  summarize('a call over stdio', stdio),
  summarize('`loadConfig`', load),
  summarize('a call through a gateway', gateway),
];
if (values.json) console.log(JSON.stringify({ definitions: DEFINITIONS, calls }, undefined, 2));
else if (values.write || values.check) {
  const page = readFileSync(PAGE, 'utf8');
  const current = await format(
    page.replace(TABLE, (_, begin, end) => `${begin}\n\n${tableOf(calls)}\n\n${end}`),
    {
      ...(await resolveConfig(PAGE)),
      filepath: PAGE,
    },
  );
  if (values.write) writeFileSync(PAGE, current);
  else if (page !== current) {
    console.log(tableOf(calls));
    console.error(
      'docs/architecture.md has other figures. If that is right: node scripts/trace-calls.mjs --write',
    );
    process.exitCode = 1;
  } else console.log('docs/architecture.md has the figures that were counted.');
} else {
  console.log(DEFINITIONS);
  for (const call of calls) print(call, values.verbose);
}
