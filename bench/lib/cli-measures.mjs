/**
 * What a user of `fittings` waits for: whole processes, from their start to their end, beside a Node.js that does nothing
 * (`node -e 0`, the contender `floor`). Every contender runs the program as it is published. A round of a contender is one run.
 *
 * `value` is milliseconds of wall time and `cpu` the user and system time of the process and of those that it waited for,
 * both as bash measures them. `CPU` is what counts on a machine that does something else too.
 *
 * - `version`, `help`, `subhelp`: the whole run.
 * - `list`: `fittings list tools` with ten stdio servers whose lists are stored. The run fails if a server was started.
 * - `call`: `fittings call` of a stdio server, above the server's own start, when the same call was made before, so that its checks
 *   need not be repeated. That start is what a program of this folder takes (`raw-call.mjs`: it starts the same server with pipes,
 *   sends `initialize`, `notifications/initialized` and the same `tools/call`, closes stdin and waits for the exit) less
 *   `node -e 0`. All of them run one after the other in each round. `ofMcporter` is ours over `mcporter call`, both above the
 *   server's own start: `npm ci --prefix packages/cli/bench` installs it. Without it, this figure is left out.
 * - `call-checked`: the same with all checks, as the first call is made, and calls that cannot be repeated without them. It has
 *   no goal.
 * - `call-shared`: `fittings call --shared` of the same server, which runs in the shared process, when the same call was made
 *   before: the whole run. It fails if a server was started.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedPackages } from '../../scripts/installed.mjs';

const SERVER = fileURLToPath(new URL('../servers/stdio.mjs', import.meta.url));
const COUNTED = fileURLToPath(new URL('../servers/counted-stdio.mjs', import.meta.url));
const RAW_CALL = fileURLToPath(new URL('../contenders/raw-call.mjs', import.meta.url));
const MCPORTER = join(import.meta.dirname, '../../packages/cli/bench/node_modules/mcporter/dist/cli.js');
const OF_MCPORTER = existsSync(MCPORTER) ? [{ metric: 'ofMcporter', most: 0.6, unit: '× mcporter' }] : [];
const SERVERS = 10;
const TEXT = 'hello';
const NOTHING = ['-e', '0'];
/** A shared process has ended long before. */
const END_MS = 10_000;

const atStart = (id, label, most) => ({
  id: `cli-${id}`,
  label,
  measure: 'cli',
  task: { run: id },
  unit: 'ms',
  contenders: ['floor', 'ours'],
  goal: { floor: most },
});

export const CLI_WORKLOADS = [
  atStart('version', 'fittings --version beside node -e 0', 1.3),
  { ...atStart('help', 'fittings --help beside node -e 0', 1.3), slow: true },
  { ...atStart('subhelp', 'fittings list --help beside node -e 0', 1.3), slow: true },
  atStart('list', 'fittings list tools, 10 servers, warm, beside node -e 0', 2),
  {
    ...atStart('call', "fittings call, made before, above the server's own start, beside node -e 0", 1.5),
    slow: true,
    limits: OF_MCPORTER,
  },
  {
    ...atStart(
      'call-checked',
      "fittings call with all checks, above the server's own start, beside node -e 0",
    ),
    goal: {},
    slow: true,
    limits: OF_MCPORTER,
  },
  { ...atStart('call-shared', 'fittings call --shared, made before, beside node -e 0', 1.5), slow: true },
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
    // The configuration was written long ago, so that the first run stores what the next needs.
    measured(args, place, /echo/);
    const starts = startsOf(place);
    return {
      ours() {
        const run = measured(args, place, /echo/);
        if (startsOf(place) !== starts) throw new Error('A warm list has started a server.');
        return run;
      },
    };
  },
  async 'call-shared'(place) {
    const args = [place.fittings, 'call', 'server0/echo', '--arg', `text=${TEXT}`, '--shared'];
    // Before its folder is removed.
    process.prependListener('exit', () => endShared(place));
    const run = () => measured(args, place, /hello/);
    await makeBefore(run);
    const starts = startsOf(place);
    return {
      ours() {
        const record = run();
        if (startsOf(place) !== starts) throw new Error('A shared call has started a server.');
        return record;
      },
    };
  },
  async call(place) {
    const call = callAboveStart(place, ['--arg', `text=${TEXT}`]);
    await makeBefore(() => call.ours());
    return call;
  },
  'call-checked'(place) {
    // A file may say something else each time.
    const file = join(place.home, 'arguments.json');
    writeFileSync(file, JSON.stringify({ text: TEXT }));
    return callAboveStart(place, ['--args', `@${file}`]);
  },
};

/** Makes a call so often that the next one is a repetition: its pins have to be older than two seconds before they are relied on. */
async function makeBefore(run) {
  run();
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  run();
}

const callAboveStart = (place, options) => ({
  ours() {
    const nothing = measured(NOTHING, place);
    const raw = measured([RAW_CALL, SERVER, TEXT], place, /hello/);
    const own = measured([place.fittings, 'call', 'plain/echo', ...options], place, /hello/);
    const above = (run, metric) => Math.max(0.01, run[metric] - (raw[metric] - nothing[metric]));
    const record = { value: above(own, 'value'), cpu: above(own, 'cpu') };
    if (!existsSync(MCPORTER)) return record;
    const args = [MCPORTER, 'call', 'plain.echo', `text=${TEXT}`, '--config', place.config];
    const other = measured(args, place, /hello/);
    return { ...record, ofMcporter: record.value / above(other, 'value') };
  },
});

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
  utimesSync(config, 0, 0);
  const modules = join(await installedPackages(), 'node_modules/@mcp-fittings/cli');
  const { bin } = JSON.parse(readFileSync(join(modules, 'package.json'), 'utf8'));
  // A file that was changed within two seconds is not taken for granted: see stored-lists/inputs.ts of the command line.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  return { home, started, config, fittings: join(modules, bin.fittings) };
}

/** Ends the shared process that a run has started, and waits for it, since it writes into the folder until then. */
function endShared({ home }) {
  const log = join(home, '.local/state/mcp-fittings/run/shared.log');
  if (!existsSync(log)) return;
  for (const [, text] of readFileSync(log, 'utf8').matchAll(/process has started\. pid=(\d+)/g)) {
    const pid = Number(text);
    const deadline = Date.now() + END_MS;
    for (let signal = 'SIGTERM'; sendSignal(pid, signal) && Date.now() < deadline; signal = 0) pause(20);
  }
}

/** @returns false if there is no such process. */
function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

/** Without the event loop, which no longer runs when a process exits. */
function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
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
