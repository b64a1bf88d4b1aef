import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describeWith } from '../../../../scripts/describe-with.js';

const run = promisify(execFile);

/** A shell in a real pseudo-terminal: what a person sees and types. */
export interface Terminal extends AsyncDisposable {
  /** Types a line and presses Enter. */
  type(line: string): Promise<void>;
  /** Presses keys by tmux's names: `Enter`, `Down`, `C-c`. */
  press(...keys: readonly string[]): Promise<void>;
  /** What stands on the screen and above it, wrapped lines joined. */
  text(): Promise<string>;
  /** The same as the terminal got it, with its colors. */
  colored(): Promise<string>;
  /** Waits until that can be read below the last command. */
  until(what: string | RegExp): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Types a command; resolves when it has ended, with what it showed and its exit code. */
  run(line: string): Promise<{ readonly text: string; readonly code: number }>;
  /** Types a command that will ask or go on; `ended` resolves as `run` does. */
  start(line: string): Promise<{ ended(): Promise<{ readonly text: string; readonly code: number }> }>;
}

/** On a loaded machine a start may take long; a test that fails says what was on the screen. */
const PATIENCE_MS = 60_000;

export async function openTerminal(options: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}): Promise<Terminal> {
  const socket = `fittings-${randomUUID()}`;
  const { cwd, columns = 120, rows = 40 } = options;
  // The terminal of a person, wherever the test runs.
  const { CI: _, ...env } = options.env;
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (
      await run('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
        env: { ...env, TERM: 'xterm-256color' },
      })
    ).stdout;
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux('new-session', '-d', '-s', 'main', ...size, '-c', cwd, 'sh');
  let commands = 0;
  /** What is above the screen belongs to it, unless the program shows a screen of its own. */
  const look = async (): Promise<{ readonly text: string; readonly isOwnScreen: boolean }> => {
    const isOwnScreen = (await tmux('display-message', '-p', '-t', 'main', '#{alternate_on}')).trim() === '1';
    const above = isOwnScreen ? '0' : '-2000';
    return { text: await tmux('capture-pane', '-t', 'main', '-p', '-J', '-S', above), isOwnScreen };
  };
  const terminal: Terminal = {
    async type(line) {
      await tmux('send-keys', '-t', 'main', '-l', line);
      await tmux('send-keys', '-t', 'main', 'Enter');
    },
    async press(...keys) {
      await tmux('send-keys', '-t', 'main', ...keys);
    },
    async resize(columns, rows) {
      await tmux('resize-window', '-t', 'main', '-x', String(columns), '-y', String(rows));
    },
    text: async () => (await look()).text,
    colored: () => tmux('capture-pane', '-t', 'main', '-p', '-e'),
    async until(what) {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const { text: all, isOwnScreen } = await look();
        const [shown, ...below] = isOwnScreen ? ['', all] : all.split(`end-${String(commands)}=$?"\n`);
        // Until the line of the command is on the screen, all that is there is from before.
        const text = below.at(-1) ?? (commands === 0 ? (shown ?? '') : '');
        if (typeof what === 'string' ? text.includes(what) : what.test(text)) return text;
        if (Date.now() > deadline)
          throw new Error(`"${String(what)}" did not appear. On the screen:\n${text}`);
        await pause(50);
      }
    },
    run: async (line) => (await terminal.start(line)).ended(),
    async start(line) {
      const mark = `end-${String(++commands)}`;
      await terminal.type(`${line}; echo "${mark}=$?"`);
      return {
        async ended() {
          const text = await terminal.until(new RegExp(`^${mark}=\\d+$`, 'm'));
          const [before = '', code = ''] = text.split(`${mark}=`);
          return { text: before, code: Number.parseInt(code, 10) };
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => undefined);
    },
  };
  try {
    await terminal.type(`PS1='ready$ '`);
    // The shell may have shown its own prompt in between.
    await terminal.until(/ready\$ *$/m);
  } catch (error) {
    await terminal[Symbol.asyncDispose]();
    throw error;
  }
  return terminal;
}

export function describeWithTerminal(name: string, define: () => void): void {
  const isThere = spawnSync('tmux', ['-V']).status === 0;
  describeWith({ missing: isThere ? [] : ['tmux'], packages: 'tmux' }, name, define);
}
