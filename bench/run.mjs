/**
 * `npm run bench`: measures everything, prints the table, and writes results/, RESULTS.md and the chart.
 *   -- --quick         a minute, beside the floor, prints only
 *   -- --check         compares ratios with the committed ones, and fails when one became worse
 *   -- --only=PATTERN  only the workloads whose id matches; prints only, or with --keep replaces their rows in the results
 *   -- --node=26       with another version of Node.js, of those that CI uses
 *   -- --prof=FOLDER   a CPU profile of every contender
 *   -- capacity        what one replica of a gateway carries; with --write, into docs/fleet.md
 *   -- --search        tokens, answered questions and time of tool search over the corpus; writes docs/tool-search.md
 *                      (with --check: compares with the committed figures, prints only)
 *   -- --documents     writes RESULTS.md, the chart, and the figures of docs/comparison.md and docs/tool-search.md
 *                      anew from the committed results
 */
import { availableParallelism, cpus } from 'node:os';
import { keepAwake } from './lib/awake.mjs';
import { committedResult, keepRecords, keepResult, writeDocuments } from './lib/files.mjs';
import { install } from './lib/installed.mjs';
import { measureAll } from './lib/measure-all.mjs';
import { runOnNode } from './lib/runtimes.mjs';
import { tableOf, verdictOf } from './lib/table.mjs';

const option = (name) => process.argv.find((argument) => argument.startsWith(`--${name}`));
const value = (name) => option(`${name}=`)?.slice(name.length + 3);
const check = option('check') !== undefined;
const only = new RegExp(value('only') ?? '');
const choice = { quick: option('quick') !== undefined, check, only, profile: value('prof') };
const isWhole = !choice.quick && value('only') === undefined && choice.profile === undefined;

if (value('node') !== undefined) {
  process.exitCode = runOnNode(value('node'));
} else if (process.argv[2] === 'capacity') {
  const { capacity } = await import('./capacity.mjs');
  await capacity();
} else if (option('search') !== undefined) {
  const { searchFigures } = await import('./tool-search/search.mjs');
  await searchFigures({ check });
} else if (option('documents') !== undefined) {
  writeDocuments();
  const { writeSearchPage } = await import('./tool-search/search.mjs');
  await writeSearchPage();
} else {
  await bench();
}

async function bench() {
  const committed = check ? committedResult() : undefined;
  if (check && committed === undefined) throw new Error('There is no committed result to compare with.');
  const started = performance.now();
  const installed = await install();
  const awake = keepAwake();
  console.log(`Cores are kept awake: ${awake.how}.`);
  const { records, worse, unsure } = await measureAll(installed, choice, committed).finally(() => {
    awake.stop();
    installed.remove();
  });
  console.log(`\n${tableOf(records)}\n`);
  console.log(`${verdictOf(records)}, ${((performance.now() - started) / 1000).toFixed(0)} s`);
  if (check) {
    for (const sentence of unsure) console.log(`not compared: ${sentence}`);
    for (const sentence of worse) console.error(`worse: ${sentence}`);
    console.log(worse.length === 0 ? 'No ratio became worse.' : `${worse.length} ratios became worse.`);
    process.exitCode = worse.length === 0 ? 0 : 1;
  } else if (isWhole) {
    console.log(`Written: ${keepResult(resultOf(records))}, RESULTS.md, docs/assets/bench.svg`);
  } else if (option('keep') !== undefined && !choice.quick) {
    console.log(`Rows replaced: ${keepRecords(resultOf(records))}, RESULTS.md, docs/assets/bench.svg`);
  }
}

function resultOf(records) {
  return {
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    cpus: `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`,
    command: 'npm run bench',
    records,
  };
}
