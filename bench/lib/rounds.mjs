/** Runs a workload: each contender in its own process, one after the other in every round, in changing order. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { evaluateSeries } from './evaluate.mjs';
import { runImports } from './imports.mjs';
import { rotated } from './statistics.mjs';
import { snapshot, waitedBetween } from './waiting.mjs';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));

/** Disturbed rounds are repeated until there are so many times as many as are needed; and not at all when no one was calm. */
const MOST_REPEATED = 4;

class Contender {
  #child;
  #serial;

  constructor({ serial, ...task }, extraArgs) {
    this.#serial = serial;
    this.#child = fork(CHILD, [JSON.stringify(task)], {
      execArgv: ['--expose-gc', ...extraArgs],
      // The SDKs' thousands of MaxListenersExceededWarning.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
  }

  ready() {
    return this.#next();
  }

  /** What the measure gives, and how long the processes waited meanwhile, unless the measure says it of processes of its own. */
  async round() {
    const before = snapshot(this.#child.pid);
    this.#child.send('round');
    const { result } = await this.#next();
    return { ...waitedBetween(before, snapshot(this.#child.pid), { serial: this.#serial }), ...result };
  }

  end() {
    if (this.#child.connected) this.#child.send('end', () => undefined);
  }

  #next() {
    return new Promise((resolve, reject) => {
      const gone = (code) => reject(new Error(`A contender ended with ${code}.`));
      this.#child.once('exit', gone);
      this.#child.once('message', (message) => {
        this.#child.off('exit', gone);
        if (message.error === undefined) resolve(message);
        else reject(new Error(message.error));
      });
    });
  }
}

/**
 * @param pace `budgetMs`: so long at least; `minKept`: so many rounds in which each figure was calm, if patience allows;
 * `maxRounds`: in no case more.
 * @returns all rounds, disturbed ones too: by contender, what its turn gave.
 */
export async function runWorkload(workload, { pace, contenders, installed, extraArgs = [] }) {
  const { budgetMs, minKept, maxRounds } = pace;
  const started = performance.now();
  const isEnough = (rounds) => {
    if (rounds.length >= maxRounds) return true;
    if (rounds.length < minKept || performance.now() - started < budgetMs) return false;
    const kept = Math.min(...evaluateSeries({ ...workload, contenders }, rounds).map((one) => one.kept));
    return kept === 0 || kept >= minKept || rounds.length >= minKept * MOST_REPEATED;
  };
  if (workload.measure === 'import') return runImports(workload, { isEnough, contenders, installed });
  const tasks = contenders.map((name) => ({
    ...workload.task,
    ...contenderOf(name),
    measure: workload.measure,
    name,
    serial: !workload.throughput,
  }));
  const kept = workload.fresh ? undefined : await startAll(tasks, extraArgs);
  // Many short rounds: a disturbance of the machine spoils one of them.
  const rounds = [];
  try {
    while (!isEnough(rounds)) {
      if (workload.together) rounds.push(await runTogether(kept));
      else rounds.push(await runInTurn(tasks, { kept, extraArgs, workload, done: rounds.length }));
    }
  } finally {
    for (const contender of kept?.values() ?? []) contender.end();
  }
  return rounds;
}

async function runInTurn(tasks, { kept, extraArgs, workload, done }) {
  const round = {};
  for (const task of rotated(tasks, done)) {
    if (done > 0 && workload.once?.includes(task.name)) continue;
    round[task.name] =
      kept === undefined ? await runFresh(task, extraArgs) : await kept.get(task.name).round();
  }
  return round;
}

async function runTogether(all) {
  const results = await Promise.all(
    [...all].map(async ([name, contender]) => [name, await contender.round()]),
  );
  return Object.fromEntries(results);
}

/** `host` is ours, called through the host. */
function contenderOf(name) {
  return name === 'host' ? { contender: 'ours', host: true } : { contender: name };
}

async function startAll(tasks, extraArgs) {
  const all = new Map(tasks.map((task) => [task.name, new Contender(task, extraArgs)]));
  await Promise.all([...all.values()].map((contender) => contender.ready()));
  return all;
}

async function runFresh(task, extraArgs) {
  const contender = new Contender(task, extraArgs);
  try {
    await contender.ready();
    return await contender.round();
  } finally {
    contender.end();
  }
}
