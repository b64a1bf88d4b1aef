/**
 * `node bench/shared-servers.mjs`: ten programs with a host and eight stdio servers each, every server in a process of the program,
 * and then in the shared process. Linux only: memory is the proportional set size (PSS) of all processes together.
 * `--programs=N`, `--servers=N`; `--rounds=N`, default 3, of which the median counts; `--write` puts the table into
 * the README of transport-shared.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './lib/statistics.mjs';

const PROGRAM = fileURLToPath(new URL('lib/shared-program.mjs', import.meta.url));
const PAGE = fileURLToPath(new URL('../packages/transport-shared/README.md', import.meta.url));
const MARKS = ['<!-- shared-servers -->', '<!-- /shared-servers -->'];
const given = (name, fallback) =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split('=')[1] ?? fallback);
const PROGRAMS = given('programs', 10);
const SERVERS = given('servers', 8);
const ROUNDS = given('rounds', 3);

/** The processes that these have started, and these. */
function familyOf(roots) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended.
    }
  }
  const family = new Set(roots);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

const pssOf = (pid) =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;

async function measure(kind) {
  const folder = mkdtempSync(join(tmpdir(), 'shared-'));
  const log = join(folder, 'run', 'shared.log');
  const start = performance.now();
  const programs = Array.from({ length: PROGRAMS }, () =>
    spawn(process.execPath, [PROGRAM, kind, String(SERVERS), join(folder, 'run')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  let shared = [];
  try {
    await Promise.all(programs.map(({ stdout }) => once(stdout, 'data')));
    const connectMs = performance.now() - start;
    shared = existsSync(log)
      ? [...readFileSync(log, 'utf8').matchAll(/process has started\. pid=(\d+)/g)].map(([, pid]) =>
          Number(pid),
        )
      : [];
    const family = familyOf([...programs.map(({ pid }) => pid), ...shared]);
    return {
      processes: family.length,
      memory: family.map(pssOf).reduce((sum, each) => sum + each, 0),
      connectMs,
    };
  } finally {
    await Promise.all(
      programs.map((program) => {
        program.stdin.end();
        return once(program, 'exit');
      }),
    );
    for (const pid of shared) process.kill(pid, 'SIGTERM');
    for (const pid of shared)
      while (existsSync(`/proc/${pid}`)) await new Promise((resolve) => setTimeout(resolve, 20));
    rmSync(folder, { recursive: true, force: true });
  }
}

const rounds = { own: [], shared: [] };
for (let round = 0; round < ROUNDS; round++)
  for (const kind of Object.keys(rounds)) rounds[kind].push(await measure(kind));

const of = (kind, metric) => median(rounds[kind].map((each) => each[metric]));
const row = (label, metric, shown) => {
  const [own, shared] = [of('own', metric), of('shared', metric)];
  return `| ${label} | ${shown(own)} | ${shown(shared)} | ${(shared / own).toFixed(2)} |`;
};
const table = [
  `| ${PROGRAMS} programs, ${SERVERS} servers each | \`stdio()\` | \`sharedStdio()\` | ratio |`,
  '| --- | --- | --- | --- |',
  row('processes', 'processes', String),
  row('memory (PSS) of all', 'memory', (value) => `${Math.round(value)} MB`),
  row('until all are connected', 'connectMs', (value) => `${(value / 1000).toFixed(1)} s`),
].join('\n');
console.log(table);
if (process.argv.includes('--write')) {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(MARKS[0]);
  const after = rest.split(MARKS[1])[1];
  const where = `Node.js ${process.versions.node}, Linux, ${availableParallelism()} cores, ${ROUNDS === 1 ? 'one run' : `median of ${ROUNDS} runs`}.`;
  writeFileSync(PAGE, `${before}${MARKS[0]}\n\n${table}\n\n${where}\n\n${MARKS[1]}${after}`);
}
