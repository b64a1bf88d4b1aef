/** Runs a workload: each contender in its own process, one after the other in every round, in changing order. */
import { fork, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './statistics.mjs';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));

/** Starts for each round of others: the shortest of few says little. */
const STARTS = 3;

class Contender {
  #child;

  constructor(task, extraArgs) {
    this.#child = fork(CHILD, [JSON.stringify(task)], {
      execArgv: ['--expose-gc', ...extraArgs],
      // The SDKs' thousands of MaxListenersExceededWarning.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
  }

  ready() {
    return this.#next();
  }

  async round() {
    this.#child.send('round');
    const { result } = await this.#next();
    return result;
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

/** @returns one record a round: by contender, what its round gave. */
export async function runWorkload(
  workload,
  { budgetMs, minRounds, maxRounds, contenders, installed, extraArgs = [] },
) {
  if (workload.measure === 'import')
    return runImports(workload, { budgetMs, minRounds, maxRounds, contenders, installed });
  const tasks = contenders.map((name) => ({
    ...workload.task,
    ...contenderOf(name),
    measure: workload.measure,
    name,
  }));
  const rounds = [];
  if (workload.together) {
    rounds.push(await runTogether(tasks, extraArgs));
    return rounds;
  }
  const kept = workload.fresh ? undefined : await startAll(tasks, extraArgs);
  // Many short rounds: a disturbance of the machine spoils one of them.
  const started = performance.now();
  const enough = (done) => done >= maxRounds || (done >= minRounds && performance.now() - started > budgetMs);
  try {
    for (let done = 0; !enough(done); done++) {
      const round = {};
      for (const task of rotated(tasks, done)) {
        if (done > 0 && workload.once?.includes(task.name)) continue;
        round[task.name] =
          kept === undefined ? await runFresh(task, extraArgs) : await kept.get(task.name).round();
      }
      rounds.push(round);
    }
  } finally {
    for (const contender of kept?.values() ?? []) contender.end();
  }
  return rounds;
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

async function runTogether(tasks, extraArgs) {
  const all = await startAll(tasks, extraArgs);
  try {
    const results = await Promise.all(tasks.map(async ({ name }) => [name, await all.get(name).round()]));
    return Object.fromEntries(results);
  } finally {
    for (const contender of all.values()) contender.end();
  }
}

/**
 * Milliseconds from the start of a process until a module was imported, over those of a process that imports nothing: the
 * median of all of those, as a single start varies by more than a small module costs.
 */
function runImports(workload, { budgetMs, minRounds, maxRounds, contenders, installed }) {
  const { modules } = workload.task;
  const names = ['bare', ...contenders];
  const programs = new Map(
    names.map((name) => [name, installed.program(`${workload.id}-${name}`, modules[name])]),
  );
  const started = performance.now();
  const starts = [];
  while (starts.length < maxRounds) {
    if (starts.length >= minRounds * STARTS && performance.now() - started > budgetMs) break;
    const order = rotated(names, starts.length);
    starts.push(Object.fromEntries(order.map((name) => [name, costOf(programs.get(name))])));
  }
  const typical = (metric) => median(starts.map(({ bare }) => bare[metric]));
  const bare = { ms: typical('ms'), cpu: typical('cpu') };
  const above = ({ ms, cpu }) => ({
    value: Math.max(0.01, ms - bare.ms),
    cpu: Math.max(0.01, cpu - bare.cpu),
  });
  return starts.map((start) => Object.fromEntries(contenders.map((name) => [name, above(start[name])])));
}

function costOf(program) {
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  const [ms, { user, system }] = JSON.parse(stdout);
  return { ms, cpu: (user + system) / 1000 };
}

function rotated(list, by) {
  const from = by % list.length;
  return [...list.slice(from), ...list.slice(0, from)];
}
