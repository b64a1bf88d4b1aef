/**
 * Cold start of `fittings --help` and of `fittings status` with three stdio servers, beside other programs of the kind, as
 * ratios within one run: `npm run build && npm ci --prefix packages/cli/bench && node packages/cli/bench/cold-start.mjs`.
 * The contenders take turns, so that what else the machine does falls on all of them alike.
 *   --rounds=N  default 15
 *   --json      the figures as JSON
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedPackages } from '../../../scripts/installed.mjs';
import { median } from '../../../bench/lib/statistics.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const rounds = Number(process.argv.find((argument) => argument.startsWith('--rounds='))?.slice(9) ?? 15);
const asJson = process.argv.includes('--json');

const FITTINGS = join(await installedPackages(), 'node_modules/@mcp-fittings/cli/program/bin.js');
const MCPORTER = here('node_modules/mcporter/dist/cli.js');
const MCP_REMOTE = here('node_modules/mcp-remote/dist/proxy.js');
const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

const home = mkdtempSync(join(tmpdir(), 'fittings-bench-'));
const config = join(home, 'servers.json');
const server = { command: process.execPath, args: [EVERYTHING] };
// `imports`: mcporter would look for the configuration of editors too.
writeFileSync(config, JSON.stringify({ mcpServers: { a: server, b: server, c: server }, imports: [] }));

/** `shows` is what proves that the program did the work. */
const WORKLOADS = [
  {
    name: '--help',
    contenders: {
      node: { args: ['-e', ''], shows: /^/ },
      fittings: { args: [FITTINGS, '--help'], shows: /Usage: fittings/ },
      mcporter: { args: [MCPORTER, '--help'], shows: /Usage: mcporter/ },
      // It has no help: without a URL it says how it is used, and ends.
      'mcp-remote': { args: [MCP_REMOTE], shows: /Usage: mcp-remote/, code: 1 },
    },
  },
  {
    name: 'status of three stdio servers',
    contenders: {
      fittings: {
        args: [FITTINGS, 'status', '--strict-mcp-config', '--mcp-config', config],
        shows: /3 servers, 3 connected, 39 tools/,
      },
      mcporter: { args: [MCPORTER, 'list', '--config', config], shows: /3 healthy|13 tools/ },
    },
  },
];

try {
  const results = WORKLOADS.map(({ name, contenders }) => measure(name, contenders));
  console.log(asJson ? JSON.stringify(results, undefined, 2) : results.map(table).join('\n\n'));
} finally {
  rmSync(home, { recursive: true, force: true });
}

function measure(name, contenders) {
  const absent = {};
  const runs = Object.entries(contenders).filter(([contender, spec]) => {
    const failure = run(spec).failure;
    if (failure !== undefined) absent[contender] = failure;
    return failure === undefined;
  });
  const times = Object.fromEntries(runs.map(([contender]) => [contender, []]));
  for (let round = 0; round < rounds; round++) {
    // Another one begins each time.
    const turn = [...runs.slice(round % runs.length), ...runs.slice(0, round % runs.length)];
    for (const [contender, spec] of turn) times[contender].push(run(spec).ms);
  }
  const ratios = Object.fromEntries(
    Object.entries(times).map(([contender, own]) => [
      contender,
      median(own.map((ms, round) => ms / times.fittings[round])),
    ]),
  );
  return { name, node: process.version, rounds, times, ratios, absent };
}

function run({ args, shows, code = 0 }) {
  const file = args[0];
  if (file.startsWith('/') && !existsSync(file))
    return { failure: 'not installed: npm ci --prefix packages/cli/bench' };
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' },
    encoding: 'utf8',
    timeout: 120_000,
  });
  const ms = performance.now() - started;
  if (status === code && shows.test(stdout + stderr)) return { ms };
  return { failure: `does not run on Node ${process.version}: ${stderr.trim().split('\n').at(-1)}` };
}

function table({ name, times, ratios, absent }) {
  const lines = [`${name} (Node ${process.version}, median of ${rounds} rounds)`];
  for (const [contender, own] of Object.entries(times)) {
    lines.push(
      `  ${contender.padEnd(12)} ${median(own).toFixed(0).padStart(6)} ms   ${ratios[contender].toFixed(2)} × fittings`,
    );
  }
  for (const [contender, reason] of Object.entries(absent)) lines.push(`  ${contender.padEnd(12)} ${reason}`);
  return lines.join('\n');
}
