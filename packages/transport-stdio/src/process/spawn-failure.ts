import { access, constants, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { sanitizeText, type ErrorCode, type FittingsErrorOptions } from '@mcp-fittings/client-core/transport';
import type { Environment } from './variable.js';
import { searchedFolders } from './search-path.js';
import type { ChildStderr } from './stderr-target.js';

/** Why a server could not be started. */
export interface SpawnFailure {
  readonly code: ErrorCode;
  /** A sentence without the server's name. */
  readonly message: string;
  readonly options: FittingsErrorOptions;
}

export interface SpawnAttempt {
  readonly command: string;
  readonly cwd?: string | undefined;
  /** The environment of the child: its PATH is the one that is searched. */
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly stderr?: ChildStderr | undefined;
}

/** What Node would refuse with an error that quotes the value, which may be a secret. */
export function invalidText(plan: {
  command: string;
  args: readonly string[];
  cwd?: string | undefined;
  env: Environment;
}): string | undefined {
  if (plan.command.trim() === '') return 'The command is empty.';
  const texts = [plan.command, ...plan.args, plan.cwd ?? '', ...Object.entries(plan.env).flat()];
  return texts.some((text) => text?.includes('\0'))
    ? 'The command, an argument, the working directory or a variable holds a NUL character.'
    : undefined;
}

const NOT_FOUND = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);
const NOT_EXECUTABLE = new Set(['EACCES', 'EPERM', 'ENOEXEC', 'EISDIR']);
const EXHAUSTED = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * Tells what an error of `spawn` means: the system says ENOENT for a missing command, a missing interpreter of a
 * script, and a missing working directory alike.
 */
export async function explainSpawnError(cause: unknown, attempt: SpawnAttempt): Promise<SpawnFailure> {
  const code = codeOf(cause);
  // It quotes the arguments, and those may hold secrets.
  if (cause instanceof Error) Reflect.deleteProperty(cause, 'spawnargs');
  const command = quoted(attempt.command);
  const cwd = await problemOfCwd(attempt.cwd);
  if (cwd !== undefined) return failure('CWD_INVALID', cwd, cause, 'Correct `cwd`, or leave it out.');
  if (NOT_FOUND.has(code)) {
    if (await isFoundSomewhere(attempt)) {
      const message = `${command} exists, but the interpreter that its first line names does not.`;
      return failure(
        'COMMAND_NOT_FOUND',
        message,
        cause,
        'Install the interpreter, or name it as the command.',
      );
    }
    return failure('COMMAND_NOT_FOUND', notFoundMessage(attempt), cause, notFoundHint(attempt));
  }
  if (NOT_EXECUTABLE.has(code)) {
    const message = `${command} may not be executed (${code}).`;
    return failure('COMMAND_NOT_EXECUTABLE', message, cause, 'It has to be a file with execute permission.');
  }
  if (code === 'ERR_INVALID_ARG_VALUE' && typeof attempt.stderr === 'object') {
    return failure(
      'CONFIG_INVALID',
      'The stream given as `stderr` has no file descriptor, so that a process cannot write to it.',
      cause,
      "Set `stderr: 'pipe'` and write `transport.stderr.pipe(stream)`. A file stream has its descriptor once it is open.",
    );
  }
  if (code === 'EBADF' && typeof attempt.stderr === 'number') {
    const message = `The file descriptor ${String(attempt.stderr)} given as \`stderr\` is not open.`;
    return failure('CONFIG_INVALID', message, cause, 'Give one that stays open until the server is started.');
  }
  const hint = EXHAUSTED.has(code)
    ? 'The system is out of processes, memory or file descriptors.'
    : code === 'E2BIG'
      ? 'The arguments and the environment are too long.'
      : undefined;
  const text = sanitizeText(cause instanceof Error ? cause.message : String(cause));
  return failure('SPAWN_FAILED', `${command} could not be started: ${text}`, cause, hint);
}

function failure(code: ErrorCode, message: string, cause: unknown, hint: string | undefined): SpawnFailure {
  return { code, message, options: { cause, hint } };
}

function notFoundMessage(attempt: SpawnAttempt): string {
  const command = quoted(attempt.command);
  if (isPath(attempt)) return `There is no ${command}.`;
  const count = searchPath(attempt).length;
  return `There is no ${command} in the ${count} ${count === 1 ? 'directory' : 'directories'} of the PATH.`;
}

const INSTALL_HINTS: Readonly<Record<string, string>> = {
  node: 'Node.js',
  npm: 'Node.js',
  npx: 'Node.js',
  pnpm: 'pnpm',
  bunx: 'Bun',
  uv: 'uv (https://docs.astral.sh/uv/)',
  uvx: 'uv (https://docs.astral.sh/uv/)',
  pipx: 'pipx',
  python: 'Python, whose command may be `python3`',
  docker: 'Docker',
  deno: 'Deno',
};

function notFoundHint(attempt: SpawnAttempt): string {
  const { command } = attempt;
  const [program = '', ...more] = command.trim().split(/\s+/);
  // A slash behind the first space, as in `npx -y @scope/x`, is one of an argument. A path may hold spaces itself.
  if (more.length > 0 && !isPath({ ...attempt, command: program })) {
    return 'The command is the program alone and no shell reads it: put its arguments into `args`.';
  }
  if (isPath(attempt)) return 'A relative path is looked up from `cwd`.';
  const product = Object.hasOwn(INSTALL_HINTS, command) ? INSTALL_HINTS[command] : undefined;
  const install = product === undefined ? 'Install it' : `Install ${product}`;
  return `${install}, give its full path, or set PATH in \`env\`: programs with a window often lack what a login shell adds (nvm, asdf, Homebrew).`;
}

async function problemOfCwd(cwd: string | undefined): Promise<string | undefined> {
  if (cwd === undefined) return undefined;
  const name = `The working directory ${quoted(cwd)}`;
  try {
    if (!(await stat(cwd)).isDirectory()) return `${name} is not a directory.`;
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (cause) {
    const code = codeOf(cause);
    return NOT_FOUND.has(code) ? `${name} does not exist.` : `${name} may not be entered (${code}).`;
  }
}

async function isFoundSomewhere(attempt: SpawnAttempt): Promise<boolean> {
  const { command, cwd = '.' } = attempt;
  const path = pathOf(attempt);
  const candidates = isPath(attempt)
    ? [path.resolve(cwd, command)]
    : searchPath(attempt).map((directory) => path.resolve(cwd, directory, command));
  const found = await Promise.all(
    candidates.map((file) =>
      stat(file).then(
        (entry) => entry.isFile(),
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

const pathOf = (attempt: SpawnAttempt): typeof posix => (attempt.platform === 'win32' ? win32 : posix);

function isPath({ command, platform }: SpawnAttempt): boolean {
  return command.includes('/') || (platform === 'win32' && command.includes('\\'));
}

const searchPath = ({ env, platform }: SpawnAttempt): string[] => searchedFolders(env, platform);

function codeOf(cause: unknown): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : '';
}

function quoted(text: string): string {
  return `"${sanitizeText(text, { maxLength: 200 })}"`;
}
