/**
 * `npm run reach [-- COLUMN…] [--write]`: a host with twelve steps (four in a browser and in workerd), on the packages as they are published, under each runtime and packaging;
 * the contract suites under Bun and Deno; and sizes with their budgets. Fails when anything of it does. `--write` writes the table of
 * docs/bundling.md.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installedPackages } from '../../scripts/installed.mjs';
import { COLUMNS, installBeside } from './columns.mjs';
import { startServers } from './servers.mjs';
import { measureSizes } from './sizes.mjs';

const here = import.meta.dirname;
const PAGE = join(here, '../../docs/bundling.md');
const STEPS = 12;
/** Each is a transport whose contract suite runs, and the least number of its cases. */
const CONTRACTS = ['stdio', 'http', 'sse', 'ws', 'inprocess'];
const FEWEST_CASES = 40;
/** A program has to end by itself well before. */
const LONGEST_MS = 300_000;

const wanted = process.argv.slice(2).filter((argument) => argument !== '--write');
const columns = Object.entries(COLUMNS).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const installed = await installedPackages();
const place = mkdtempSync(join(installed, 'reach-'));
const program = join(place, 'program.mjs');
const module = join(place, 'keytar.mjs');
copyFileSync(join(here, 'program.mjs'), program);
copyFileSync(join(here, 'keytar.mjs'), module);
copyFileSync(join(here, 'web-program.mjs'), join(place, 'web-program.mjs'));
copyFileSync(
  join(here, '../../examples/first-host/dist/scripted-person.js'),
  join(place, 'scripted-person.js'),
);
const servers = await startServers();
const rows = [];
let failures = 0;
try {
  for (const [name, build] of columns) report(name, await tryColumn(name, build));
} finally {
  await servers.stop();
  rmSync(place, { recursive: true, force: true });
}
const sizes = await measureSizes(installed);
for (const { what, kb, budget } of sizes) {
  if (kb > budget) failures++;
  console.log(`${what}: ${kb} kB, of at most ${budget}`);
}
if (process.argv.includes('--write') && failures === 0) writeTable();
process.exitCode = failures === 0 ? 0 : 1;

function report(name, { works, fails, kb, contract, steps = STEPS }) {
  failures += fails.length;
  const text = `${works.length} of ${steps}`;
  rows.push(`| ${name} | ${text} | ${contract ?? ''} | ${kb === undefined ? '' : `${kb} kB`} |`);
  console.log([name, text, contract && `contract ${contract}`, kb && `${kb} kB`].filter(Boolean).join(', '));
  for (const line of fails) console.log(`  ${line}`);
}

async function tryColumn(name, build) {
  const out = mkdtempSync(join(tmpdir(), 'reach-'));
  const folder = mkdtempSync(join(tmpdir(), 'reach-'));
  try {
    installBeside(out, installed);
    const { command, args, packaged, isolation, file, steps = STEPS } = await build({ program, out });
    const given = { servers: servers.entries, folder, packaged, isolation, module };
    const ran = await run(command, args, folder, { REACH: JSON.stringify(given) });
    const works = after('works', ran.lines);
    const fails = [...after('fails', ran.lines), ...ran.failure];
    if (fails.length === 0 && works.length !== steps) fails.push('a step is missing');
    const kb = file && Math.ceil(statSync(file).size / 1000);
    const contract = ['bun', 'deno'].includes(name)
      ? await runContracts(command, args.slice(0, -1), fails)
      : undefined;
    return { works, fails, kb, contract, steps };
  } catch (error) {
    return { works: [], fails: [`build: ${String(error?.message ?? error).slice(0, 1500)}`] };
  } finally {
    rmSync(out, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the contract suite of each transport. Returns the number of cases, and adds to `fails`. */
async function runContracts(command, args, fails) {
  let cases = 0;
  for (const kind of CONTRACTS) {
    const { lines, failure } = await run(command, [...args, join(here, 'contract.mjs'), kind], here, {});
    const [passed, all] = (after('passed', lines)[0] ?? '0 of 0').split(' of ').map(Number);
    fails.push(...[...after('fails', lines), ...failure].map((line) => `contract of ${kind}: ${line}`));
    if (passed !== all || all < FEWEST_CASES)
      fails.push(`contract of ${kind}: ${passed} of ${all} cases passed`);
    cases += passed;
  }
  return String(cases);
}

function after(word, lines) {
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}

/** What a program wrote to stdout, and how it ended if it failed. Its session bus has no keychain. */
function run(command, args, cwd, variables) {
  const env = { ...process.env, ...variables, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/dev/null' };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
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

function writeTable() {
  const text = readFileSync(PAGE, 'utf8');
  const date = new Date().toISOString().slice(0, 10);
  const table = [
    `Measured on ${date}, on ${process.platform} with Node.js ${process.versions.node}:`,
    '',
    '| runtime or packaging | steps | cases of the contract suites | size |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    '| | size | budget |',
    '| --- | --- | --- |',
    ...sizes.map(({ what, kb, budget }) => `| ${what} | ${kb} kB | ${budget} kB |`),
  ].join('\n');
  const [before, , rest] = text.split(/<!-- (?:begin|end) of the table -->/);
  writeFileSync(PAGE, `${before}<!-- begin of the table -->\n\n${table}\n\n<!-- end of the table -->${rest}`);
}
