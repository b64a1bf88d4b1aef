/**
 * What a user of `fittings` waits for: whole processes, from their start to their end, beside a Node.js that does nothing
 * (`node -e 0`, the contender `floor`). Every contender runs the program as it is published. A round of a contender is one run.
 *
 * `value` is milliseconds of wall time and `cpu` the user and system time of the process and of those that it waited for,
 * both as bash measures them. `CPU` is what counts on a machine that does something else too.
 *
 * - `version`, `help`, `subhelp`: the whole run.
 * - `list`: `fittings list tools` with ten stdio servers whose lists are stored. The run fails if a server was started. `ofMcporter` is
 *   ours over `mcporter list` of the same servers, which has no lists to show from memory.
 * - `call`: `fittings call` of a stdio server, above the server's own start. That start is what a program of this folder takes
 *   (`raw-call.mjs`: it starts the same server with pipes, sends `initialize`, `notifications/initialized` and the same `tools/call`,
 *   closes stdin and waits for the exit) less `node -e 0`. All of them run one after the other in each round. `ofMcporter` is ours over
 *   `mcporter call`, both above the server's own start.
 *
 * `ofMcporter` compares CPU. `npm ci --prefix bench/mcporter` installs mcporter. Without it, these figures are left out.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedPackages } from '../../scripts/installed.mjs';

const SERVER = fileURLToPath(new URL('../servers/stdio.mjs', import.meta.url));
const COUNTED = fileURLToPath(new URL('../servers/counted-stdio.mjs', import.meta.url));
const RAW_CALL = fileURLToPath(new URL('../contenders/raw-call.mjs', import.meta.url));
const MCPORTER = join(import.meta.dirname, '../mcporter/node_modules/mcporter/dist/cli.js');
const ofMcporter = (most) =>
  existsSync(MCPORTER) ? [{ metric: 'ofMcporter', most, unit: '× mcporter' }] : [];
const SERVERS = 10;
const TEXT = 'hello';
const NOTHING = ['-e', '0'];

const atStart = (id, label, most) => ({
  id: `cli-${id}`,
  label,
  measure: 'cli',
  task: { run: id },
  unit: 'ms',
  contenders: ['floor', 'ours'],
  goal: { floor: most },
});

const withoutGoal = (id, label) => ({ ...atStart(id, label), goal: {} });

export const CLI_WORKLOADS = [
  atStart('version', 'fittings --version beside node -e 0', 1.5),
  { ...withoutGoal('help', 'fittings --help beside node -e 0'), slow: true },
  { ...withoutGoal('subhelp', 'fittings list --help beside node -e 0'), slow: true },
  {
    ...withoutGoal('list', 'fittings list tools, 10 servers, from memory, beside node -e 0'),
    limits: ofMcporter(0.25),
  },
  {
    ...withoutGoal('call', "fittings call, above the server's own start, beside node -e 0"),
    slow: true,
    limits: ofMcporter(0.5),
  },
];

export const CLI_MEASURES = {
  async cli({ run, contender }) {
    const place = await prepare();
    process.on('exit', () => rmSync(place.home, { recursive: true, force: true }));
    const of = await RUNS[run](place);
    // The first run fills the page cache, and for `list` the stored lists.
    of.ours();
    return () => (contender === 'floor' ? measured(NOTHING, place) : of.ours());
  },
};

const whole = (args, shows) => (place) => ({ ours: () => measured([place.fittings, ...args], place, shows) });

const RUNS = {
  version: whole(['--version'], /^\d+\.\d+\.\d+/),
  help: whole(['--help'], /Usage: fittings/),
  subhelp: whole(['list', '--help'], /Usage: fittings list/),
  list(place) {
    const args = [place.fittings, 'list', 'tools'];
    measured(args, place, /echo/);
    const starts = startsOf(place);
    return {
      ours() {
        const record = measured(args, place, /echo/);
        if (startsOf(place) !== starts) throw new Error('A warm list has started a server.');
        return withMcporter(record, ['list'], place, ({ cpu }) => cpu, /plain/);
      },
    };
  },
  call: (place) => ({
    ours() {
      const nothing = measured(NOTHING, place);
      const raw = measured([RAW_CALL, SERVER, TEXT], place, /hello/);
      const args = [place.fittings, 'call', 'plain/echo', `text=${TEXT}`];
      const own = measured(args, place, /hello/);
      const above = (run, metric) => Math.max(0.01, run[metric] - (raw[metric] - nothing[metric]));
      const record = { value: above(own, 'value'), cpu: above(own, 'cpu') };
      const other = ['call', 'plain.echo', `text=${TEXT}`];
      return withMcporter(record, other, place, (run) => above(run, 'cpu'), /hello/);
    },
  }),
};

/** Adds what our CPU is of that of mcporter. */
function withMcporter(record, args, place, cpuOf, shows) {
  if (!existsSync(MCPORTER)) return record;
  const startsBefore = startsOf(place);
  const other = measured([MCPORTER, ...args, '--config', place.config], place, shows);
  writeFileSync(place.started, '.'.repeat(startsBefore));
  return { ...record, ofMcporter: record.cpu / cpuOf(other) };
}

/** A home directory with the servers, in which the program has not run. */
async function prepare() {
  const home = mkdtempSync(join(tmpdir(), 'fittings-bench-'));
  const folder = join(home, '.config', 'mcp-fittings');
  mkdirSync(folder, { recursive: true });
  const started = join(home, 'started');
  writeFileSync(started, '');
  const counted = (_, index) => [
    `server${index}`,
    { command: process.execPath, args: [COUNTED, started], lazy: false },
  ];
  const config = join(folder, 'servers.json');
  const plain = { command: process.execPath, args: [SERVER] };
  // `call` names its server, and `list` lists all of them: one of the ten is the plain one.
  const servers = { plain, ...Object.fromEntries(Array.from({ length: SERVERS - 1 }, counted)) };
  // `imports`: mcporter would look for the configuration of editors too.
  writeFileSync(config, JSON.stringify({ mcpServers: servers, imports: [] }));
  const modules = join(await installedPackages(), 'node_modules/@mcp-fittings/cli');
  const { bin } = JSON.parse(readFileSync(join(modules, 'package.json'), 'utf8'));
  return { home, started, config, fittings: join(modules, bin.fittings) };
}

function startsOf({ started }) {
  return readFileSync(started, 'utf8').length;
}

/** Runs Node.js with these arguments to its end. */
function measured(args, { home }, shows = /^/) {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%3R %3U %3S"; time "$@" 2>"$HOME/stderr"', 'bash', process.execPath, ...args],
    {
      cwd: home,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', FITTINGS_STORE: 'memory' },
      timeout: 120_000,
    },
  );
  if (status !== 0 || !shows.test(stdout))
    throw new Error(`${args.join(' ')} failed: ${readFileSync(join(home, 'stderr'), 'utf8')}`);
  const [real, user, system] = stderr.trim().split(' ').map(Number);
  return { value: real * 1000, cpu: (user + system) * 1000 };
}
