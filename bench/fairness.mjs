/**
 * `npm run bench -- fairness`: p95 of calls to 49 good stdio servers beside one that floods, for each kind of flood, and
 * beside 16 that hang, in p95 alone: right before and right after, in one run. The median of the rounds counts.
 * `--seconds=N` for each phase, default 1.5; `--rounds=N`, default 3; `--kinds=logs,hang`; `--light` for calls with pauses.
 */
import { fileURLToPath } from 'node:url';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createHost } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { median, quantile } from './lib/statistics.mjs';

const GOOD = 49;
const HANGING = 16;
/** p95 beside a bad one, in p95 alone. */
const GOAL = 3;
/** Milliseconds after which a program has started and says nothing. */
const START_MS = 2000;
const KINDS = {
  flood: 'one that floods with all of it',
  logs: 'one that floods with logs',
  news: 'one that floods with list_changed',
  requests: 'one that floods with requests',
  huge: 'one that floods with messages of 20 MB',
  stderr: 'one that floods on stderr',
  hang: `${HANGING} that hang`,
};

const neighbor = fileURLToPath(new URL('servers/neighbor.mjs', import.meta.url));
const entry = (mood) => ({ command: process.execPath, args: [neighbor, mood] });
const entries = (prefix, count, mood) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, entry(mood)]));
const given = (name, fallback) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;

/** Calls every good server again and again for so long; the 95th percentile of the milliseconds of a call. */
async function p95(host, names, ms, pauseMs) {
  const times = [];
  const end = performance.now() + ms;
  const call = async (server) => {
    const begin = performance.now();
    await host.callTool({ server, tool: 'echo' });
    times.push(performance.now() - begin);
  };
  while (performance.now() < end) {
    if (pauseMs === 0) await Promise.all(names.map(call));
    else for (const name of names) await call(name).then(() => pause(pauseMs));
  }
  return quantile(times, 0.95);
}

async function beside(host, kind, measure) {
  if (kind === 'hang') {
    const hanging = entries('hanging', HANGING, 'hang');
    const connecting = host.connect(hanging);
    // The start of 16 programs is not what is measured.
    await pause(START_MS);
    const found = await measure();
    await Promise.all(Object.keys(hanging).map((name) => host.remove(name)));
    await connecting;
    return found;
  }
  await host.connect({ [kind]: entry(kind) });
  const found = await measure();
  await host.remove(kind);
  return found;
}

export async function fairness() {
  const ms = Number(given('seconds', '1.5')) * 1000;
  const rounds = Number(given('rounds', '3'));
  const kinds = given('kinds', Object.keys(KINDS).join(',')).split(',');
  const pauseMs = process.argv.includes('--light') ? 2 : 0;
  const good = entries('good', GOOD, 'well');
  const names = Object.keys(good);
  const host = createHost({ name: 'bench', version: '1.0.0', transports: [stdio()] });
  try {
    await host.connect(good);
    const measure = () => p95(host, names, ms, pauseMs);
    await measure();
    const found = Object.fromEntries(kinds.map((kind) => [kind, []]));
    const alone = [await measure()];
    for (let round = 0; round < rounds; round++) {
      for (const kind of kinds) {
        const before = alone.at(-1);
        const times = await beside(host, kind, measure);
        alone.push(await measure());
        found[kind].push({ times, ratio: (2 * times) / (before + alone.at(-1)) });
      }
    }
    console.log(`p95 of a call to ${GOOD} stdio servers: ${median(alone).toFixed(2)} ms alone`);
    for (const kind of kinds) {
      const ratio = median(found[kind].map((one) => one.ratio));
      const each = found[kind].map((one) => one.ratio.toFixed(2)).join(', ');
      const verdict = ratio <= GOAL ? 'met' : 'missed';
      const times = median(found[kind].map((one) => one.times)).toFixed(2);
      console.log(
        `  beside ${KINDS[kind]}: ${times} ms, ×${ratio.toFixed(2)} of ${each} (goal ≤ ${GOAL}: ${verdict})`,
      );
      if (ratio > GOAL) process.exitCode = 1;
    }
    console.log(`load of the machine: ${loadavg()[0].toFixed(1)}`);
  } finally {
    await host.close();
  }
}
