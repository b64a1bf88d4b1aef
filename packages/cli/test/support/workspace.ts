import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { officialServer } from '../../../../scripts/bundled.mjs';
import { runCli } from '../../src/main.js';
import { BIN } from './bridge-process.js';

/** Makes `home` the home directory of the account, so that nothing is written into that of the developer. */
const ACCOUNT_HOME = fileURLToPath(new URL('account-home.cjs', import.meta.url));

/** What one run of `fittings` left behind. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty project and home directory, and `fittings` in them. */
export interface Workspace extends AsyncDisposable {
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs it to its end, without a terminal. */
  fittings(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** The same with `--json`, and what it printed. */
  json(args: readonly string[], options?: RunOptions): Promise<Run & { readonly value: unknown }>;
  /** Writes a file of the project. */
  write(path: string, content: unknown): Promise<string>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Default: the project. */
  readonly cwd?: string;
  /** At a terminal, the keys that answer each question once it is shown. Only `here`. Default: there is no terminal. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Ctrl-C, as soon as what it printed so far says yes. */
  readonly interruptWhen?: (text: string) => boolean;
}

/** Runs `fittings` in a process of its own, or `here`: then what it loads is loaded once for all runs of a test file. */
export async function openWorkspace({ here = false }: { readonly here?: boolean } = {}): Promise<Workspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'fittings-cli-')));
  const project = join(root, 'project');
  const home = join(root, 'home');
  await Promise.all([mkdir(join(project, '.git'), { recursive: true }), mkdir(home)]);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    CI: 'true',
    NODE_OPTIONS: `--require "${ACCOUNT_HOME}"`,
  };
  const run = here ? runHere : runProcess;

  const workspace: Workspace = {
    project,
    home,
    env,
    fittings: (args, { env: more = {}, ...options } = {}) =>
      run(args, { cwd: project, ...options, env: { ...env, ...more } }),
    async json(args, options) {
      const run = await workspace.fittings(['--json', ...args], options);
      return { ...run, value: JSON.parse(run.stdout) };
    },
    async write(path, content) {
      const file = join(project, path);
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
      return file;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
  return workspace;
}

interface Place extends Omit<RunOptions, 'env'> {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

async function runProcess(args: readonly string[], { cwd, env, stdin, interruptWhen }: Place): Promise<Run> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env });
  const printed = collect(child, interruptWhen, () => child.kill('SIGINT'));
  if (stdin !== undefined) child.stdin.end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...printed };
}

/** Runs `fittings` in this process. */
export async function runHere(
  args: readonly string[],
  { cwd, env, stdin, answers, interruptWhen }: Place,
): Promise<Run> {
  const isTTY = answers !== undefined;
  const terminal = () => Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  const streams = { stdin: terminal(), stdout: new PassThrough(), stderr: terminal() };
  answerQuestions(streams, answers);
  const abort = new AbortController();
  const printed = collect(streams, interruptWhen, () => {
    abort.abort(new Error('SIGINT'));
    return true;
  });
  if (stdin !== undefined) streams.stdin.end(stdin);
  // The home directory is looked up where the system says it is.
  const leave = enter(env);
  try {
    const code = await runCli(args, { ...streams, env, cwd, signal: abort.signal });
    return { code: abort.signal.aborted ? 130 : code, ...printed };
  } finally {
    leave();
  }
}

function answerQuestions(
  { stdin, stderr }: { readonly stdin: PassThrough; readonly stderr: PassThrough },
  answers: Readonly<Record<string, string>> = {},
): void {
  const left = new Map(Object.entries(answers));
  let shown = '';
  stderr.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    for (const [question, keys] of left) {
      if (!shown.includes(question)) continue;
      left.delete(question);
      // A key that comes while the question is drawn is lost.
      setImmediate(() => stdin.write(keys));
    }
  });
}

const entered = { count: 0, outside: {} as NodeJS.ProcessEnv };

/** Takes on an environment; the one outside is back when the last of several runs at once has left. */
function enter(env: Readonly<NodeJS.ProcessEnv>): () => void {
  if (entered.count === 0) entered.outside = { ...process.env };
  entered.count += 1;
  become(env);
  return () => {
    entered.count -= 1;
    if (entered.count === 0) become(entered.outside);
  };
}

function become(env: Readonly<NodeJS.ProcessEnv>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

function collect(
  streams: { readonly stdout: Readable; readonly stderr: Readable },
  interruptWhen: ((text: string) => boolean) | undefined,
  interrupt: () => boolean,
): { stdout: string; stderr: string } {
  const printed = { stdout: '', stderr: '' };
  let interrupted = interruptWhen === undefined;
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].on('data', (chunk: Buffer) => {
      printed[name] += chunk.toString();
      if (interrupted || interruptWhen?.(printed.stdout + printed.stderr) !== true) return;
      interrupted = interrupt();
    });
  }
  return printed;
}

/** The reference server that has everything, as an entry. */
export const everything = {
  command: process.execPath,
  args: [await officialServer('everything')],
};

/** Arguments that make these the only servers; servers on the command line need no approval. */
export const only = (servers: Readonly<Record<string, unknown>>): readonly string[] => [
  '--strict-mcp-config',
  '--mcp-config',
  JSON.stringify({ mcpServers: servers }),
];
