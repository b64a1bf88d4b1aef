/** The process of one point: prepares a load, runs it several times, and says how long it took and how much memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MOST_TAKEN } from '../lib/calm.mjs';
import { peakBytes, resetPeak } from '../lib/peak-memory.mjs';
import { median } from '../lib/statistics.mjs';
import { snapshot, waitedBetween } from '../lib/waiting.mjs';
import { LOADS } from './loads.mjs';

const MIB = 1024 * 1024;
/** Short runs are repeated until they make up so much, long ones at least this often. */
const ENOUGH_MS = 600;
const LEAST_RUNS = 3;
/** So long a run is not repeated that often. */
const LONG_MS = 5000;
const MOST_RUNS = 15;

const { load, task, n } = JSON.parse(process.argv[2]);
process.on('disconnect', () => process.exit());

try {
  const run = await LOADS[load](task, n);
  process.send({ result: await measure(run) }, () => process.exit());
} catch (error) {
  process.send({ error: String(error?.stack ?? error) }, () => process.exit());
}

/**
 * Medians: of the runs that were calm, or of all if none was; of the CPU of all. The fastest run would be one of many at a small point,
 * and one of few at a large one, which is not the same. The memory is that of the first run.
 */
async function measure(run) {
  await collect();
  const before = process.memoryUsage();
  resetPeak();
  const first = await timed(run);
  const peak = (peakBytes() - before.rss) / MIB;
  await collect();
  const live = (process.memoryUsage().heapUsed - before.heapUsed) / MIB;
  await first.undo?.();
  const runs = [first];
  const spent = () => runs.reduce((sum, { ms }) => sum + ms, 0);
  const isEnough = () =>
    runs.length < LEAST_RUNS ? spent() > LONG_MS : spent() > ENOUGH_MS || runs.length >= MOST_RUNS;
  while (!isEnough()) {
    const next = await timed(run);
    await next.undo?.();
    runs.push(next);
  }
  const calm = runs.filter(({ taken = 0 }) => taken <= MOST_TAKEN);
  const ms = median((calm.length === 0 ? runs : calm).map((one) => one.ms));
  const cpu = median(runs.map(({ cpuMs }) => cpuMs));
  return { n, ms, cpu, peak, live, runs: runs.length, calm: calm.length };
}

async function timed(run) {
  const before = snapshot(process.pid);
  const cpu = process.cpuUsage();
  const started = performance.now();
  const undo = await run();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const { taken } = waitedBetween(before, snapshot(process.pid), { serial: false }) ?? {};
  return { ms, cpuMs: (user + system) / 1000, taken, undo };
}

async function collect() {
  await sleep(50);
  for (let time = 0; time < 2; time++) {
    globalThis.gc();
    await sleep(10);
  }
}
