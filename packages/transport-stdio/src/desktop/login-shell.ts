import { spawn } from 'node:child_process';
import type { Clock } from '@mcp-fittings/client-core';
import { settlesWithin } from '@mcp-fittings/toolbox/timing';

/** A login shell to ask. */
export interface LoginShell {
  /** Absolute path of the shell. */
  readonly shell: string;
  /** Folder in which it looks for its startup files. */
  readonly home: string;
  /** Its environment. No other variable of this process reaches it: a project could have set `ENV` or `ZDOTDIR`. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

const TIMEOUT_MS = 5000;

/** Startup files may print anything before the PATH. */
const MAX_OUTPUT_BYTES = 256 * 1024;

/** No PATH of a person is longer, and Linux limits a variable to 128 KiB. */
const MAX_PATH_LENGTH = 32 * 1024;

/**
 * Starts a shell as a terminal does, and resolves with the PATH that its startup files set: `-i`, because nvm is set up in files that only
 * an interactive shell reads. Resolves with undefined if the shell does not print it in time. bash, zsh, fish and dash understand the
 * command.
 */
export async function askLoginShell(login: LoginShell): Promise<string | undefined> {
  const { shell, home, env, clock } = login;
  // Random, so that no startup file prints it, and joined by printf, which is quoted, so that no alias replaces it.
  const mark = crypto.randomUUID();
  const child = spawn(shell, ['-ilc', `'printf' '%s<%s>%s' ${mark} "$PATH" ${mark}`], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    // A session without a terminal, so that the shell cannot ask there, and a group that ends as a whole.
    detached: true,
  });
  let output = '';
  const printed = new Promise<string | undefined>((resolve) => {
    child.once('error', () => resolve(undefined));
    child.stdout.once('close', () => resolve(undefined));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const found = between(output, `${mark}<`, `>${mark}`);
      if (found !== undefined || output.length > MAX_OUTPUT_BYTES) resolve(found);
    });
  });
  const path = (await settlesWithin(TIMEOUT_MS, printed, clock)) ? await printed : undefined;
  if (path === undefined) endGroup(child.pid);
  // Programs that a startup file left behind may keep it open.
  child.stdout.destroy();
  child.unref();
  return path === undefined || path.length > MAX_PATH_LENGTH ? undefined : path;
}

function between(text: string, start: string, end: string): string | undefined {
  const from = text.indexOf(start);
  const to = from === -1 ? -1 : text.indexOf(end, from);
  return to === -1 ? undefined : text.slice(from + start.length, to);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
