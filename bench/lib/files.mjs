/** Where results are kept, and the documents that are made of them. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chartOf } from './chart.mjs';
import { withFigures } from './comparison.mjs';
import { summaryOf, tableOf, verdictOf } from './table.mjs';

const RESULTS = new URL('../results/', import.meta.url);
const COMPARISON = new URL('../../docs/comparison.md', import.meta.url);
const CHART = new URL('../../docs/assets/bench.svg', import.meta.url);
const major = process.versions.node.split('.')[0];

/** The committed result for this major version of Node; that of another version if this one has none. */
export function committedResult() {
  const names = resultNames();
  const name = names.find((one) => one === `node${major}.json`) ?? names[0];
  return name === undefined ? undefined : read(name);
}

/** Replaces rows of the committed result by those that were measured again. */
export function keepRecords(again) {
  const result = committedResult();
  if (result?.node.split('.')[0] !== `v${major}`)
    throw new Error('There is no whole result to replace rows of.');
  return keepResult(replaceRecords(result, again));
}

/**
 * The result with these records in place of those with the same id; each of them says when it was measured. New ones come last.
 * @template {{ records: readonly { id: string }[] }} Result
 * @param {Result} result
 * @param {{ date: string, records: readonly { id: string }[] }} again
 */
export function replaceRecords(result, { date, records }) {
  const again = new Map(records.map((record) => [record.id, { ...record, date }]));
  const known = new Set(result.records.map(({ id }) => id));
  return {
    ...result,
    records: [
      ...result.records.map((record) => again.get(record.id) ?? record),
      ...[...again.values()].filter(({ id }) => !known.has(id)),
    ],
  };
}

export function keepResult(result) {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL(`node${major}.json`, RESULTS), `${JSON.stringify(result, rounded, 2)}\n`);
  writeDocuments();
  return fileURLToPath(new URL(`node${major}.json`, RESULTS));
}

function rounded(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
}

/** Writes RESULTS.md, the chart, and the figures of docs/comparison.md. */
export function writeDocuments() {
  writeFileSync(new URL('../RESULTS.md', import.meta.url), resultsPage());
  writeFileSync(COMPARISON, comparisonPage());
  mkdirSync(new URL('.', CHART), { recursive: true });
  const name = resultNames()[0];
  if (name !== undefined) writeFileSync(CHART, chartOf(read(name)));
}

/** Returns the text of docs/comparison.md, with the figures of all results. */
export function comparisonPage() {
  return withFigures(readFileSync(COMPARISON, 'utf8'), resultNames().map(read));
}

/** Returns the text of RESULTS.md, from all results and NOTES.md. */
export function resultsPage() {
  const notes = readFileSync(new URL('../NOTES.md', import.meta.url), 'utf8');
  return [INTRODUCTION, ...resultNames().map(read).map(section), notes].join('\n');
}

function section({ node, cpus, date, command, records }) {
  const { missed } = summaryOf(records);
  return [
    `## Node ${node.slice(1)}`,
    '',
    `\`${command}\` on ${date}, ${cpus}. ${verdictOf(records)}${missed.length === 0 ? '.' : '; those that are missed are bold.'}`,
    ...measuredLater(records),
    '',
    tableOf(records),
    '',
  ].join('\n');
}

/** Says which rows are newer than the table. */
function measuredLater(records) {
  const dates = [...new Set(records.flatMap(({ date }) => date ?? []))].toSorted((a, b) =>
    a.localeCompare(b),
  );
  return dates.map((date) => {
    const ids = records.filter((record) => record.date === date).map(({ id }) => `\`${id}\``);
    return `Measured again on ${date}: ${ids.join(', ')}.`;
  });
}

const INTRODUCTION = `<!-- Written by \`npm run bench\` from results/*.json and NOTES.md: change those. -->

# Beside the SDKs and a floor

The floor is the bare wire and JSON: a pipe, \`undici.request\`, \`ws\`; nothing is checked, nothing can be cancelled. Every
contender runs in a process of its own against a server of its own; the rounds take turns, and a ratio is the median of the
ratios of single rounds. Ours has everything on that it has by default. In parentheses is what has to be met; less is better
everywhere. How each workload is done stands in [lib/workloads.mjs](lib/workloads.mjs) and [lib/measures.mjs](lib/measures.mjs).

"Waited" is the share of a round in which the contender's processes were ready and had no CPU, "taken" what of it other programs
took, each the median of the contender with most. A turn of which they took over 10 % is thrown away, and the round repeated. The last
column is how many rounds count, of all that were made. A figure of fewer than 7 is not judged: \`?\`.
`;

function resultNames() {
  return existsSync(RESULTS)
    ? readdirSync(RESULTS)
        .filter((name) => /^node\d+\.json$/.test(name))
        .toSorted()
    : [];
}

function read(name) {
  return JSON.parse(readFileSync(new URL(name, RESULTS), 'utf8'));
}
