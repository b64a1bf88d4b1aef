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
  const terminal: Terminal = {
    async type(line) {
      await tmux('send-keys', '-t', 'main', '-l', line);
      await tmux('send-keys', '-t', 'main', 'Enter');
    },
    async press(...keys) {
      await tmux('send-keys', '-t', 'main', ...keys);
    },
    text: () => tmux('capture-pane', '-t', 'main', '-p', '-J', '-S', '-2000'),
    colored: () => tmux('capture-pane', '-t', 'main', '-p', '-e'),
    async until(what) {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const [shown, ...below] = (await terminal.text()).split(`end-${String(commands)}=$?"\n`);
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
