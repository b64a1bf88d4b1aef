/**
 * `npm run reach [-- COLUMN…]`: a program with twelve steps, on the packages as they are published, under each runtime and packaging.
 * Prints the table of docs/bundling.md, and fails when a step fails.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installedPackages } from '../../scripts/installed.mjs';
import { COLUMNS, installBeside } from './columns.mjs';
import { startServers } from './servers.mjs';

const here = import.meta.dirname;
/** A program has to end by itself well before. */
const LONGEST_MS = 60_000;

const wanted = process.argv.slice(2);
const columns = Object.entries(COLUMNS).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const installed = await installedPackages();
const place = mkdtempSync(join(installed, 'reach-'));
const program = join(place, 'program.mjs');
copyFileSync(join(here, 'program.mjs'), program);
copyFileSync(
  join(here, '../../examples/first-host/dist/scripted-person.js'),
  join(place, 'scripted-person.js'),
);
const keytar = join(place, 'keytar.mjs');
copyFileSync(join(here, 'keytar.mjs'), keytar);
const { entries, stop } = await startServers();
let failures = 0;
try {
  for (const [name, build] of columns) {
    const started = performance.now();
    const { works, fails } = await tryColumn(build);
    failures += fails.length;
    console.log(`${name}: ${works.length} of 12 (${Math.round((performance.now() - started) / 1000)} s)`);
    if (process.env.REACH_TIMES) console.log(works);
    for (const line of fails) console.log(`  ${line}`);
  }
} finally {
  await stop();
  rmSync(place, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

async function tryColumn(build) {
  const out = mkdtempSync(join(tmpdir(), 'reach-'));
  const folder = mkdtempSync(join(tmpdir(), 'reach-'));
  try {
    installBeside(out, installed);
    const { command, args, packaged, isolation } = await build({ program, out });
    const given = { servers: entries, folder, packaged, isolation, keytar };
    return await runProgram(command, args, folder, JSON.stringify(given));
  } catch (error) {
    return { works: [], fails: [`build: ${String(error?.message ?? error).slice(0, 1500)}`] };
  } finally {
    rmSync(out, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a program wrote to stdout, and how it ended if it failed. */
function runProgram(command, args, cwd, given) {
  const env = { ...process.env, REACH: given, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/dev/null' };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const works = [];
    const fails = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('works ')) works.push(line.slice('works '.length));
      else if (line.startsWith('fails ')) fails.push(line.slice('fails '.length));
    });
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code !== 0) fails.push(`ended with ${signal ?? code}: ${errors.slice(-800)}`);
      resolve({ works, fails });
    });
  });
}
