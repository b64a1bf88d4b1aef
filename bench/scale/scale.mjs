/** `npm run bench -- --scale`: how costs grow, each point in a process of its own, and whether they grow linearly. */
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { growthOfLine, METRICS } from './linear.mjs';
import { pageOf } from './page.mjs';
import { pictureOf } from './picture.mjs';
import { ROWS } from './rows.mjs';

const POINT = fileURLToPath(new URL('point.mjs', import.meta.url));
const RESULT = new URL('../results/scale.json', import.meta.url);
const PAGE = new URL('../SCALE.md', import.meta.url);
const ASSETS = new URL('../../docs/assets/', import.meta.url);

/** @param choice `only`: ids `row-line` that match; `most`: no point beyond. With either, prints only. */
export async function scale({ only, most }) {
  const started = performance.now();
  const isWhole = only.source === '(?:)' && most === Infinity;
  const all = [];
  for (const row of ROWS) {
    const load = loadavg()[0];
    const lines = [];
    for (const line of row.lines.filter(({ id }) => only.test(`${row.id}-${id}`))) {
      const points = [];
      for (const n of row.points.filter((point) => point <= most)) points.push(await measurePoint(line, n));
      const found = { id: line.id, label: line.label, points };
      const name = `${row.id}-${line.id}`;
      console.log(`${name.padEnd(24)} ${sentenceOf(found)}`);
      lines.push(found);
      all.push({ ...found, name });
    }
    if (isWhole)
      keep({ ...row, lines, load, node: process.version, date: new Date().toISOString().slice(0, 10) });
  }
  const worse = all.filter(({ points }) =>
    Object.values(growthOfLine(points)).some(({ isLinear }) => !isLinear),
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${all.length - worse.length} of ${all.length} grow linearly, ${seconds} s`);
  for (const line of worse) console.error(`not linear: ${line.name} ${sentenceOf(line)}`);
  if (worse.length > 0) process.exitCode = 1;
  if (isWhole) console.log('Written: bench/results/scale.json, bench/SCALE.md, docs/assets/scale-*.svg');
}

/** Replaces a row of the committed result, so that a run that was broken off leaves whole rows. */
function keep(row) {
  const before = existsSync(RESULT) ? JSON.parse(readFileSync(RESULT, 'utf8')).rows : [];
  const rows = ROWS.flatMap(({ id }) => (id === row.id ? [row] : before.filter((one) => one.id === id)));
  const result = { cpus: `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`, rows };
  const rounded = (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
  writeFileSync(RESULT, `${JSON.stringify(result, rounded, 1)}\n`);
  writeScaleDocument();
}

/** The page and its pictures, from the committed result. */
export function writeScaleDocument() {
  if (!existsSync(RESULT)) return;
  const result = JSON.parse(readFileSync(RESULT, 'utf8'));
  mkdirSync(ASSETS, { recursive: true });
  for (const row of result.rows) writeFileSync(new URL(`scale-${row.id}.svg`, ASSETS), pictureOf(row));
  writeFileSync(PAGE, pageOf(result));
}

function sentenceOf({ points }) {
  const last = points.at(-1);
  const parts = Object.entries(growthOfLine(points)).map(
    ([metric, { exponent, rise }]) =>
      `${last[metric].toFixed(1)} ${METRICS[metric].unit} ^${exponent.toFixed(2)} ×${rise.toFixed(2)}`,
  );
  return `${last.n}: ${parts.join(', ')}, ${last.live.toFixed(1)} MiB stay`;
}

function measurePoint({ load, task }, n) {
  const child = fork(POINT, [JSON.stringify({ load, task, n })], {
    execArgv: ['--expose-gc', '--max-old-space-size=8192'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`A point ended with ${code}.`)));
    child.once('message', ({ result, error }) => {
      if (error === undefined) resolve(result);
      else reject(new Error(`${load} ${JSON.stringify(task)} ${n}: ${error}`));
    });
  });
}
