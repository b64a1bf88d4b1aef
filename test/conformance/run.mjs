/**
 * `npm run conformance [-- scenario …]`: every scenario of both published versions of the official tool, one at a time
 * (the strict mode: the client's exit code, warnings and time-outs count), in the one configuration of client.mjs.
 * With `CONFORMANCE_ENGINE=sdk`, through SDK v2 and `@mcp-fittings/engine-sdk`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { VERSIONS } from './versions.mjs';

const here = import.meta.dirname;
const node24 = join(here, 'node_modules/node/bin/node');
const client = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(here, 'client.mjs'))}`;
const wanted = process.argv.slice(2);

if (!existsSync(node24)) {
  console.error('The tool is not installed: run "npm ci --prefix test/conformance --ignore-scripts=false".');
  process.exit(2);
}

const failed = [];
const totals = [];
for (const { name, tool, scenarios } of VERSIONS) {
  // A scenario that runs in two revisions passes when it does in both.
  const verdicts = new Map();
  for (const { scenario, wire } of scenarios) {
    if (wanted.length > 0 && !wanted.some((word) => scenario.includes(word))) continue;
    const label = `${name}  ${scenario}${wire === undefined ? '' : ` (${wire})`}`;
    const args = [
      join(here, 'node_modules', tool, 'dist/index.js'),
      'client',
      '--command',
      client,
      '--scenario',
      scenario,
    ];
    if (wire !== undefined) args.push('--spec-version', wire);
    const { code, output } = await run(args);
    verdicts.set(scenario, code === 0 && verdicts.get(scenario) !== false);
    if (code !== 0) failed.push({ label, output });
    console.log(`${code === 0 ? 'pass' : 'FAIL'}  ${label}`);
  }
  const passed = [...verdicts.values()].filter(Boolean).length;
  if (verdicts.size > 0) totals.push(`conformance ${name}: ${passed}/${verdicts.size} client scenarios`);
}
for (const { label, output } of failed) console.log(`\n--- ${label}\n${output.slice(-3000)}`);
console.log(`\n${totals.join('\n')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(node24, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => resolve({ code, output }));
  });
}
