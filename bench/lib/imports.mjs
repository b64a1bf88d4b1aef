/** What importing a module costs, in processes that do nothing else. */
import { spawnSync } from 'node:child_process';
import { sharesOf } from './waiting.mjs';
import { MOST_TAKEN } from './calm.mjs';
import { median, rotated } from './statistics.mjs';

/** Starts for each round of others: the shortest of few says little. */
const STARTS = 3;

/**
 * Milliseconds from the start of a process until a module was imported, over those of a process that imports nothing: the
 * median of all of those that were calm, as a single start varies by more than a small module costs.
 */
export function runImports(workload, { isEnough, contenders, installed }) {
  const { modules } = workload.task;
  const names = ['bare', ...contenders];
  const programs = new Map(
    names.map((name) => [name, installed.program(`${workload.id}-${name}`, modules[name])]),
  );
  const starts = [];
  for (let rounds = []; !isEnough(rounds); rounds = aboveBare(starts, contenders)) {
    for (let time = 0; time < STARTS; time++) {
      const order = rotated(names, starts.length);
      starts.push(Object.fromEntries(order.map((name) => [name, costOf(programs.get(name))])));
    }
  }
  return aboveBare(starts, contenders);
}

/** A start counts if both its program and the one that imports nothing were calm. */
function aboveBare(starts, contenders) {
  const calm = starts.filter(({ bare: { taken = 0 } }) => taken <= MOST_TAKEN);
  const typical = (metric) => median((calm.length === 0 ? starts : calm).map(({ bare }) => bare[metric]));
  const bare = { ms: typical('ms'), cpu: typical('cpu') };
  const above = ({ ms, cpu, waited, taken }, beside) => ({
    value: Math.max(0.01, ms - bare.ms),
    cpu: Math.max(0.01, cpu - bare.cpu),
    ...(taken !== undefined && { waited, taken: Math.max(taken, beside.taken) }),
  });
  return starts.map((start) =>
    Object.fromEntries(contenders.map((name) => [name, above(start[name], start.bare)])),
  );
}

function costOf(program) {
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  const { ms, cpu, schedstat } = JSON.parse(stdout);
  const ranMs = (cpu.user + cpu.system) / 1000;
  const waitedNs = schedstat === null ? undefined : Number(schedstat.split(' ')[1]);
  if (waitedNs === undefined) return { ms, cpu: ranMs };
  return { ms, cpu: ranMs, ...sharesOf({ wallMs: ms, ranMs, waitedMs: waitedNs / 1e6, serial: true }) };
}
