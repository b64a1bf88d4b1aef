/**
 * `npm run bench -- fairness`: p95 of calls to 49 good stdio servers alone, beside one that floods, and beside 16 that hang,
 * as ratios within one run. `--seconds=N` for each phase, default 5.
 */
import { fileURLToPath } from 'node:url';
import { createHost } from '@mcp-fittings/host';
import { sdk } from '@mcp-fittings/host/sdk';
import { stdio } from '@mcp-fittings/transport-stdio';
import { quantile } from './lib/statistics.mjs';

const GOOD = 49;
const HANGING = 16;
/** p95 beside a bad one, in p95 alone. */
const GOAL = 3;

const neighbor = fileURLToPath(new URL('servers/neighbor.mjs', import.meta.url));
const entry = (mood) => ({ command: process.execPath, args: [neighbor, mood] });
const entries = (prefix, count, mood) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, entry(mood)]));

/** Calls every good server again and again for so long; milliseconds of each call. */
async function callAll(host, names, ms) {
  const times = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await Promise.all(
      names.map(async (server) => {
        const begin = performance.now();
        await host.callTool({ server, tool: 'echo' });
        times.push(performance.now() - begin);
      }),
    );
  }
  return times;
}

async function measureFairness(seconds) {
  const ms = seconds * 1000;
  const good = entries('good', GOOD, 'well');
  const names = Object.keys(good);
  const host = createHost({ engine: sdk({ name: 'bench', version: '1.0.0' }), transports: [stdio()] });
  try {
    await host.connect(good);
    await callAll(host, names, Math.min(ms, 1500));
    const alone = await callAll(host, names, ms);
    await host.connect({ flooding: entry('flood') });
    const flood = await callAll(host, names, ms);
    await host.remove('flooding');
    const hanging = host.connect(entries('hanging', HANGING, 'hang'));
    const hang = await callAll(host, names, ms);
    await host.close();
    await hanging;
    return { alone, flood, hang };
  } finally {
    await host.close();
  }
}

export async function fairness() {
  const given = process.argv.find((argument) => argument.startsWith('--seconds='));
  const { alone, flood, hang } = await measureFairness(Number(given?.slice(10) ?? 5));
  const p95 = (times) => quantile(times, 0.95);
  console.log(`p95 of a call to ${GOOD} stdio servers: ${p95(alone).toFixed(2)} ms alone`);
  const beside = [
    ['one that floods', flood],
    [`${HANGING} that hang`, hang],
  ];
  for (const [what, times] of beside) {
    const ratio = p95(times) / p95(alone);
    const verdict = ratio <= GOAL ? 'met' : 'missed';
    console.log(
      `  beside ${String(what)}: ${p95(times).toFixed(2)} ms, ×${ratio.toFixed(2)} (goal ≤ ${GOAL}: ${verdict})`,
    );
    if (ratio > GOAL) process.exitCode = 1;
  }
}
