/** All workloads that were asked for, one after the other, and what became worse since the committed result. */
import { evaluateSeries, evaluateSize } from './evaluate.mjs';
import { checkedContenders, regressions, tooFewRounds } from './regression.mjs';
import { runWorkload } from './rounds.mjs';
import { measureSizes } from './sizes.mjs';
import { WORKLOADS } from './workloads.mjs';

const FULL = { budgetMs: 2500, minKept: 7, maxRounds: 40 };
const HURRIED = { budgetMs: 350, minKept: 7, maxRounds: 21 };
/** In a hurry, of what starts new processes for each round. */
const HURRIED_FRESH = { ...HURRIED, minKept: 2, maxRounds: 5 };
const HURRIED_ROUND_MS = 50;
const ATTEMPTS = 4;

/**
 * @param choice `quick`, `check`, `only` (a pattern), `profile` (a folder)
 * @returns the records; sentences about what became worse; and about what could not be compared, as too few rounds were calm
 */
export async function measureAll(installed, choice, committed) {
  const records = [];
  const worse = [];
  const unsure = [];
  const isAsked = ({ id, series = [{}] }) =>
    series.some(({ metric }) => choice.only.test(metric === undefined ? id : `${id}-${metric}`));
  for (const workload of WORKLOADS) {
    if (!isAsked(workload) || isLeftOut(workload, choice)) continue;
    let found = await measure(workload, installed, choice, choice.quick);
    let sentences = compare(found, workload);
    // What is worse in a hurry, or once, may be the machine's doing: then it is measured as the committed result was.
    for (let attempt = 1; attempt < ATTEMPTS && sentences.length > 0; attempt++) {
      found = await measure(workload, installed, choice, false);
      sentences = compare(found, workload);
    }
    records.push(...found);
    worse.push(...sentences);
    if (choice.check) unsure.push(...found.flatMap(tooFewRounds));
  }
  const sizes = measureSizes(installed.directory).map(evaluateSize);
  const asked = sizes.filter(({ id }) => choice.only.test(id));
  records.push(...asked);
  worse.push(...compare(asked, {}));
  return { records, worse, unsure };

  function compare(some, workload) {
    return some.flatMap((record) => {
      const before = committed?.records.find(({ id }) => id === record.id);
      return regressions(record, before, workload);
    });
  }
}

/** What shows the same code as another workload is left to the full run and to the check. */
function isLeftOut({ slow, similar }, { quick, check }) {
  return quick && (slow || (similar && !check));
}

async function measure(workload, installed, choice, hurry) {
  const started = performance.now();
  const contenders = choice.quick || choice.check ? checkedContenders(workload) : workload.contenders;
  const rounds = await runWorkload(hurry ? hurried(workload) : workload, {
    pace: hurry ? (workload.fresh ? HURRIED_FRESH : HURRIED) : FULL,
    contenders,
    installed,
    extraArgs:
      choice.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${choice.profile}/${workload.id}`],
  });
  const records = evaluateSeries({ ...workload, contenders }, rounds);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  for (const record of records) {
    console.log(
      `${record.id.padEnd(24)} ${figuresOf(record)}  (${record.kept} of ${record.rounds} rounds, ${seconds} s)`,
    );
  }
  return records;
}

function figuresOf({ figures, values, unit }) {
  const digits = (number) => number?.toFixed(2) ?? '–';
  const inCpu = (cpu) => (cpu === undefined ? '' : ` (${digits(cpu)} in CPU)`);
  if (figures.length === 0) return `${digits(values.ours)} ${unit}`;
  return figures.map(({ against, value, cpu }) => `${digits(value)} ${against}${inCpu(cpu)}`).join(', ');
}

/** Half of everything that costs the same however much of it there is. */
function hurried(workload) {
  const { task } = workload;
  const { count, warmMs } = task;
  const halved = { ...(count && { count: count / 2 }), ...(warmMs && { warmMs: warmMs / 2 }) };
  return { ...workload, task: { ...task, ...halved, roundMs: HURRIED_ROUND_MS } };
}
