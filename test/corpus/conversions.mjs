/**
 * Compares every conversion of the schemas of real tools with a validator of the original schema: which arguments does each accept?
 *
 *   node test/corpus/conversions.mjs            writes test/corpus/results/conversions.json and its part of docs/schemas.md
 *   node test/corpus/conversions.mjs --check    fails if a conversion accepts or rejects what the schema does not, and does not say so,
 *                                               or if fewer schemas convert exactly than before
 *   --only=server/tool   --seed=text   --values=40   --schemas=2000 (generated ones, besides the gathered ones)
 *
 * Needs `npm ci --prefix test/corpus/conversions`, and test/corpus/tools.json: see test/corpus/gather.mjs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const here = import.meta.dirname;
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    values: { type: 'string', default: '40' },
    schemas: { type: 'string', default: '2000' },
  },
});
const GATHERED = join(here, 'tools.json');
const RESULTS = join(here, 'results', 'conversions.json');
const PAGE = join(here, '../..', 'docs', 'schemas.md');

if (!existsSync(join(here, 'conversions', 'node_modules'))) {
  console.error('The validator is not installed: run "npm ci --prefix test/corpus/conversions".');
  process.exit(2);
}
if (!existsSync(GATHERED)) {
  console.error(
    'The tools are not gathered: run "npm ci --prefix test/corpus" and "node test/corpus/gather.mjs".',
  );
  process.exit(2);
}
const { compareTool, createCounts } = await import('./conversions/compare.mjs');
const { NoVerdict } = await import('./conversions/judge.mjs');
const { createRandom } = await import('./conversions/random.mjs');
const { createSchema } = await import('./conversions/random-schemas.mjs');
const { withFigures } = await import('./conversions/page.mjs');

const { servers } = JSON.parse(readFileSync(GATHERED, 'utf8'));
const gathered = servers.flatMap(({ name, tools }) => tools.map((tool) => ({ ...tool, server: name })));
const generated = Array.from({ length: Number(options.schemas) }, (_, index) => ({
  server: 'generated',
  name: `schema${index}`,
  inputSchema: createSchema(createRandom(`${options.seed} schema ${index}`)),
}));

const MOST_SHOWN = 40;
const problems = [];
const corpus = compareAll(gathered);
const random = compareAll(generated);
if (options.check && options.only === undefined) {
  const { exact } = JSON.parse(readFileSync(RESULTS, 'utf8')).corpus.zod;
  if (corpus.zod.exact < exact)
    problems.push(`${corpus.zod.exact} schemas convert exactly, and ${exact} did before`);
}

console.log(summary('tools of the corpus', corpus));
console.log(summary('generated schemas', random));
for (const problem of problems.slice(0, MOST_SHOWN)) console.error(problem);
if (problems.length > MOST_SHOWN) console.error(`… and ${problems.length - MOST_SHOWN} more`);
const { user, system } = process.cpuUsage();
console.log(`${((user + system) / 1e6).toFixed(0)} s of CPU, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

if (!options.check && options.only === undefined && problems.length === 0) {
  const results = { servers: servers.length, corpus, generated: random };
  mkdirSync(join(here, 'results'), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), results));
}

function compareAll(tools) {
  const counts = createCounts();
  for (const tool of tools) {
    if (
      options.only !== undefined &&
      tool.server !== options.only &&
      `${tool.server}/${tool.name}` !== options.only
    )
      continue;
    try {
      compareTool(tool, {
        counts,
        seed: options.seed,
        values: Number(options.values),
        problem: (text) => void problems.push(text),
      });
    } catch (error) {
      if (!(error instanceof NoVerdict)) throw error;
      counts.notJudged++;
    }
  }
  return counts;
}

function summary(title, { notJudged, skipped, withValid, tools, fractions, ...conversions }) {
  const rows = Object.entries(conversions).map(([name, count]) => [name, count]);
  const lines = rows.map(
    ([name, count]) =>
      `  ${name.padEnd(13)} ${Object.entries(count)
        .map(([key, value]) => `${key} ${value}`)
        .join(', ')}`,
  );
  return [
    `${title}: ${tools}, ${withValid} with valid arguments, ${notJudged} not judged, ${skipped} skipped, ${fractions} fractions of 1e15 and more`,
    ...lines,
  ].join('\n');
}
