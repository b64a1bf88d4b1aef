/**
 * `npm run bench`: measures everything, prints the table, and writes results/, RESULTS.md and the chart.
 *   -- --quick         a minute, beside the floor, prints only
 *   -- --check         compares ratios with the committed ones, and fails when one became worse
 *   -- --only=PATTERN  only the workloads whose id matches; prints only
 *   -- --prof=FOLDER   a CPU profile of every contender
 *   -- fairness        what good servers feel of bad ones, nothing else; prints only
 *   -- --documents     writes RESULTS.md and the chart anew from the committed results
 */
import { availableParallelism, cpus } from 'node:os';
import { keepAwake } from './lib/awake.mjs';
import { evaluate, evaluateSize } from './lib/evaluate.mjs';
import { committedResult, keepResult, writeDocuments } from './lib/files.mjs';
import { checkedContenders, regressions } from './lib/regression.mjs';
import { install } from './lib/installed.mjs';
import { runWorkload } from './lib/rounds.mjs';
import { measureSizes } from './lib/sizes.mjs';
import { summaryOf, tableOf } from './lib/table.mjs';
import { WORKLOADS } from './lib/workloads.mjs';

const option = (name) => process.argv.find((argument) => argument.startsWith(`--${name}`));
const value = (name) => option(`${name}=`)?.slice(name.length + 3);
const quick = option('quick') !== undefined;
const check = option('check') !== undefined;
const only = new RegExp(value('only') ?? '');
const profile = value('prof');
const isWhole = !quick && value('only') === undefined && profile === undefined;

const FULL = { budgetMs: 2500, minRounds: 5, minFreshRounds: 2, maxRounds: 31 };
const HURRIED = { budgetMs: 350, minRounds: 3, minFreshRounds: 2, maxRounds: 9 };
/** What shows the same code as another workload is left to the full run and to the check. */
const isLeftOut = ({ slow, similar }) => quick && (slow || (similar && !check));
const ATTEMPTS = 4;

if (process.argv[2] === 'fairness') {
  const { fairness } = await import('./fairness.mjs');
  await fairness();
} else if (option('documents') !== undefined) {
  writeDocuments();
} else {
  const started = performance.now();
  const installed = await install();
  const awake = keepAwake();
  console.log(`Cores are kept awake: ${awake.how}.`);
  const { records, worse } = await measureAll(installed).finally(() => {
    awake.stop();
    installed.remove();
  });
  console.log(`\n${tableOf(records)}\n`);
  const { met, of } = summaryOf(records);
  console.log(`${met} of ${of} figures met, ${((performance.now() - started) / 1000).toFixed(0)} s`);
  if (check) {
    for (const sentence of worse) console.error(`worse: ${sentence}`);
    console.log(worse.length === 0 ? 'No ratio became worse.' : `${worse.length} ratios became worse.`);
    process.exitCode = worse.length === 0 ? 0 : 1;
  } else if (isWhole) {
    console.log(`Written: ${keepResult(resultOf(records))}, RESULTS.md, docs/assets/bench.svg`);
  }
}

async function measureAll(installed) {
  const committed = check ? committedResult() : undefined;
  if (check && committed === undefined) throw new Error('There is no committed result to compare with.');
  const records = [];
  const worse = [];
  for (const workload of WORKLOADS) {
    if (!only.test(workload.id) || isLeftOut(workload)) continue;
    const before = committed?.records.find(({ id }) => id === workload.id);
    let record = await measure(workload, installed, quick);
    // What is worse in a hurry, or once, may be the machine's doing: then it is measured as the committed result was.
    let sentences = check ? regressions(record, before, workload) : [];
    for (let attempt = 1; attempt < ATTEMPTS && sentences.length > 0; attempt++) {
      record = await measure(workload, installed, false);
      sentences = regressions(record, before, workload);
    }
    records.push(record);
    worse.push(...sentences);
  }
  for (const record of measureSizes(installed.directory).map(evaluateSize)) {
    if (!only.test(record.id)) continue;
    records.push(record);
    const before = committed?.records.find(({ id }) => id === record.id);
    if (check) worse.push(...regressions(record, before));
  }
  return { records, worse };
}

async function measure(workload, installed, hurry) {
  const pace = hurry ? HURRIED : FULL;
  const started = performance.now();
  const { rounds: share = 1 } = workload;
  const contenders = quick || check ? checkedContenders(workload) : workload.contenders;
  const rounds = await runWorkload(hurry ? hurried(workload) : workload, {
    budgetMs: pace.budgetMs * share,
    minRounds: share < 1 ? 1 : workload.fresh ? pace.minFreshRounds : pace.minRounds,
    maxRounds: pace.maxRounds,
    contenders,
    installed,
    extraArgs: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}/${workload.id}`],
  });
  const record = evaluate({ ...workload, contenders }, rounds);
  const inCpu = (cpu) => (cpu === undefined ? '' : ` (${cpu.toFixed(2)} in CPU)`);
  const figures = record.figures
    .map(({ against, value: at, cpu }) => `${at.toFixed(2)} ${against}${inCpu(cpu)}`)
    .join(', ');
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${workload.id.padEnd(24)} ${figures}  (${rounds.length} rounds, ${seconds} s)`);
  return record;
}

/** Half of everything that costs the same however much of it there is. */
function hurried(workload) {
  const { task } = workload;
  const { count, warmMs } = task;
  const halved = { ...(count && { count: count / 2 }), ...(warmMs && { warmMs: warmMs / 2 }) };
  return { ...workload, task: { ...task, ...halved, roundMs: 100 } };
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
