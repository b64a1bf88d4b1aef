/**
 * How long the processes of a contender waited for a CPU during its turn, and how much of that others are to blame for.
 * From `/proc`. On a system without it, or without its scheduler statistics, everything is `undefined`: unknown.
 */
import { readFileSync, readdirSync } from 'node:fs';

const TICK_MS = 10;
const NS_PER_MS = 1e6;

/** The times until now of a process and its descendants, by process id. Undefined where they are not known. */
export function snapshot(root) {
  const own = timesOf(root);
  if (own === undefined) return undefined;
  const children = childrenByParent();
  const processes = new Map([[root, own]]);
  // A map is iterated in the order of insertion, those added meanwhile included.
  for (const pid of processes.keys()) {
    for (const child of children.get(pid) ?? []) {
      const times = timesOf(child);
      if (times !== undefined) processes.set(child, times);
    }
  }
  return { atMs: performance.now(), busyMs: busyMs(), processes };
}

/**
 * Shares of the time between two snapshots:
 * `waited`: the main threads of the processes were ready to run and had no CPU, added up. Also on a quiet machine: a server that is
 * woken waits until its client, on the same CPU, goes to sleep.
 * `taken`: what of it the contender did not cause itself. It is at most the CPU that all others used. And where its processes take
 * turns (`serial`), one of them always runs, unless others are in the way: then it is at most the time in which none did.
 */
export function waitedBetween(before, after, { serial }) {
  if (before === undefined || after === undefined) return undefined;
  const wallMs = after.atMs - before.atMs;
  let ranMs = 0;
  let waitedMs = 0;
  for (const [pid, now] of after.processes) {
    const then = before.processes.get(pid) ?? { ranMs: 0, waitedMs: 0 };
    // A thread that has ended takes its time with it.
    ranMs += Math.max(0, now.ranMs - then.ranMs);
    waitedMs += now.waitedMs - then.waitedMs;
  }
  const othersMs = after.busyMs - before.busyMs - ranMs;
  return sharesOf({ wallMs, ranMs, waitedMs, othersMs, serial });
}

/** `othersMs`: CPU that others used, where it is known. */
export function sharesOf({ wallMs, ranMs, waitedMs, othersMs = Infinity, serial }) {
  const idleMs = serial ? wallMs - ranMs : Infinity;
  const takenMs = Math.max(0, Math.min(waitedMs, othersMs, idleMs));
  return { waited: waitedMs / wallMs, taken: takenMs / wallMs };
}

/** Milliseconds that all threads of a process ran, and that its main thread was ready and waited. */
function timesOf(pid) {
  const main = statisticsOf(`/proc/${pid}/schedstat`);
  if (main === undefined) return undefined;
  let ran = 0;
  for (const thread of entriesOf(`/proc/${pid}/task`)) {
    ran += statisticsOf(`/proc/${pid}/task/${thread}/schedstat`)?.[0] ?? 0;
  }
  return { ranMs: ran / NS_PER_MS, waitedMs: main[1] / NS_PER_MS };
}

/** Nanoseconds on a CPU, nanoseconds of waiting for one. @see https://docs.kernel.org/scheduler/sched-stats.html */
function statisticsOf(file) {
  const [ran, waited] = (textOf(file) ?? '').split(' ').map(Number);
  return waited === undefined ? undefined : [ran, waited];
}

/** All CPUs together, but not what runs at a lower priority, as the loops do that keep cores awake. */
function busyMs() {
  const [user, , system, , , irq, softIrq, steal] = (textOf('/proc/stat') ?? '')
    .slice('cpu '.length)
    .trim()
    .split(/\s+/, 8)
    .map(Number);
  return (user + system + irq + softIrq + steal) * TICK_MS;
}

function childrenByParent() {
  const children = new Map();
  for (const pid of entriesOf('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = textOf(`/proc/${pid}/stat`);
    if (stat === undefined) continue;
    // `pid (name) state parent`; a name may have spaces and parentheses.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 2)[1]);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [Number(pid)]);
    else siblings.push(Number(pid));
  }
  return children;
}

/** Undefined if it does not exist: a process may end at any time. */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)) return undefined;
    throw error;
  }
}

function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)) return [];
    throw error;
  }
}
