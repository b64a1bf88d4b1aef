/**
 * `npm run runtimes [-- bun|deno|node]`: every transport under Bun and Deno, with the SDK's `Client`, against real servers,
 * and through the contract suite. Prints a table of what works, and fails when it is not what the README says.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SERVERS } from './servers.mjs';

const here = import.meta.dirname;
const bin = (name) => join(here, 'node_modules/.bin', name);
const RUNTIMES = {
  node: [process.execPath, []],
  bun: [bin('bun'), ['run']],
  deno: [bin('deno'), ['run', '--allow-all', '--quiet']],
};
/** It has to end by itself well before. */
const LONGEST_MS = 300_000;

const wanted = process.argv.slice(2);
const runtimes = Object.entries(RUNTIMES).filter(([name]) => wanted.length === 0 || wanted.includes(name));
if (!existsSync(bin('bun'))) {
  console.error(
    'The runtimes are not installed: run "npm ci --prefix test/runtimes --ignore-scripts=false".',
  );
  process.exit(2);
}

/** Most of them wait, for a server that is gone or for a time that has to pass. */
const AT_ONCE = 3;

let failures = 0;
const waiting = runtimes.flatMap(([runtime, program]) =>
  Object.keys(SERVERS).map((kind) => ({ runtime, program, kind })),
);
await Promise.all(Array.from({ length: AT_ONCE }, work));
console.log(failures === 0 ? '\nEvery transport works everywhere.' : `\n${failures} things do not work.`);
process.exitCode = failures === 0 ? 0 : 1;

async function work() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await tryTransport(next);
}

async function tryTransport({ runtime, program: [command, args], kind }) {
  const client = await useRealServer(command, args, kind);
  const suite = await runContract(command, args, kind);
  const fails = [...client.fails, ...suite.fails];
  failures += fails.length;
  const verdict = fails.length === 0 ? 'works' : 'FAILS';
  const row = `${runtime.padEnd(5)} ${kind.padEnd(10)} ${verdict}  ${client.works.join(', ')}; contract: ${suite.count}`;
  console.log([row, ...fails.map((line) => `      ${line}`)].join('\n'));
}

async function useRealServer(command, args, kind) {
  const server = await SERVERS[kind]();
  const program = [...args, join(here, 'client.mjs'), kind, JSON.stringify(server.target)];
  const { lines, failure } = await run(command, program, (line) => line === 'kill' && server.kill?.());
  await server.kill?.();
  return { works: after('works', lines), fails: [...after('fails', lines), ...failure] };
}

async function runContract(command, args, kind) {
  const { lines, failure } = await run(command, [...args, join(here, 'contract.mjs'), kind]);
  const [count = 'nothing'] = after('passed', lines);
  const [passed, all] = count.split(' of ');
  const fails = [...after('fails', lines), ...failure];
  if (fails.length === 0 && (passed !== all || Number(all) < 40))
    fails.push(`the contract suite passed ${count}`);
  return { count, fails };
}

function after(word, lines) {
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}

/** What a program wrote to stdout, and how it ended if it failed. */
function run(command, args, onLine = () => undefined) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: here, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      onLine(line);
    });
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ lines, failure: code === 0 ? [] : [`ended with ${signal ?? code}: ${errors.slice(-800)}`] });
    });
  });
}
