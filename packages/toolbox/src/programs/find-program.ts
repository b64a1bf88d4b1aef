import { access, constants, lstat, open, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { systemErrorCode } from '../errors/system-errors.js';
import { environmentVariable, searchedFolders, type Environment } from './search-path.js';
import { runThroughCmd, type ProgramRefusal } from './windows-cmd.js';

/** A program in the form that the operating system runs. */
export interface Program {
  /** An absolute path, so that the operating system does not search. */
  readonly file: string;
  /** The arguments, in the form in which `spawn` takes them. */
  readonly args: readonly string[];
  /** On Windows: the arguments are quoted already. */
  readonly verbatim: boolean;
}

/** A program to find. */
export interface ProgramRequest {
  /** A path, or a name to find on the PATH. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Directory that a relative command is resolved against. Default: the working directory of this process. */
  readonly cwd?: string | undefined;
  /** The environment of the program: its PATH is searched. */
  readonly env: Environment;
  /** The operating system; `process.platform`. */
  readonly platform: NodeJS.Platform;
  /** The Windows directory, such as `C:\Windows`. */
  readonly systemRoot?: string | undefined;
}

/** Access to the file system, which tests replace. */
export interface ProgramFiles {
  /** Resolves with whether there is a file. */
  isFile(path: string): Promise<boolean>;
  /** Resolves with whether this process may execute it. */
  mayExecute(path: string): Promise<boolean>;
  /** The first bytes as text. Empty if the file cannot be read. */
  beginning(path: string): Promise<string>;
}

/**
 * Finds the program of a command. The lookup of the operating system is not used because it treats the working directory as
 * part of the PATH: always on Windows, on POSIX for each empty part. Empty, `.` and other relative parts are not searched. Resolves
 * with a refusal if a batch file of Windows cannot get the arguments unchanged. Rejects with an error that has a `code`, as
 * `spawn` does.
 * @example
 * ```ts
 * const env = withSafeSearch(process.env, process.platform);
 * const found = await findProgram({ command: 'xdg-open', args: [url], env, platform: process.platform });
 * if ('file' in found) spawn(found.file, found.args, { env, windowsVerbatimArguments: found.verbatim });
 * ```
 */
export async function findProgram(
  request: ProgramRequest,
  files: ProgramFiles = systemFiles,
): Promise<Program | ProgramRefusal> {
  if (request.platform === 'win32') return findOnWindows(request, files);
  const { command, args, cwd = process.cwd(), env, platform } = request;
  if (command.includes('/')) return { file: posix.resolve(cwd, command), args, verbatim: false };
  let found: string | undefined;
  for (const folder of searchedFolders(env, platform)) {
    const file = posix.join(folder, command);
    if (!(await files.isFile(file))) continue;
    if (await files.mayExecute(file)) return { file, args, verbatim: false };
    found ??= file;
  }
  throw spawnError(command, found === undefined ? 'ENOENT' : 'EACCES');
}

const DEFAULT_PATHEXT = '.COM;.EXE;.BAT;.CMD';

async function findOnWindows(
  request: ProgramRequest,
  files: ProgramFiles,
): Promise<Program | ProgramRefusal> {
  const { command, args, systemRoot } = request;
  const file = await windowsFile(request, files);
  if (file === undefined) throw spawnError(command, 'ENOENT');
  const extension = win32.extname(file).toLowerCase();
  if (extension === '.exe' || extension === '.com') return { file, args, verbatim: false };
  if (extension !== '.cmd' && extension !== '.bat') return runInterpreter(file, request, files);
  return (await npmWithoutBatchFile(file, args, files)) ?? runThroughCmd(file, args, systemRoot);
}

async function windowsFile(request: ProgramRequest, files: ProgramFiles): Promise<string | undefined> {
  const { command, cwd = process.cwd(), env, platform } = request;
  const endings = (environmentVariable(env, 'PATHEXT', platform) ?? DEFAULT_PATHEXT)
    .split(';')
    .filter((ending) => /^\.\w+$/.test(ending));
  const names = win32.extname(command) === '' ? [] : [command];
  names.push(...endings.map((ending) => command + ending.toLowerCase()));
  const isPath = /[\\/]|^[a-z]:/i.test(command);
  const folders = isPath ? [cwd] : searchedFolders(env, platform);
  for (const folder of folders) {
    for (const name of names) {
      const file = win32.resolve(folder, name);
      if (await files.isFile(file)) return file;
    }
  }
  return undefined;
}

/** `npm.cmd` and `npx.cmd` only run a script with Node; without them each argument arrives byte for byte. */
async function npmWithoutBatchFile(
  file: string,
  args: readonly string[],
  files: ProgramFiles,
): Promise<Program | undefined> {
  const name = win32.basename(file).toLowerCase();
  if (name !== 'npx.cmd' && name !== 'npm.cmd') return undefined;
  const folder = win32.dirname(file);
  const node = win32.join(folder, 'node.exe');
  const script = win32.join(folder, 'node_modules', 'npm', 'bin', name.replace('.cmd', '-cli.js'));
  if (!(await files.isFile(node)) || !(await files.isFile(script))) return undefined;
  return { file: node, args: [script, ...args], verbatim: false };
}

/** Runs a script with the interpreter that its first line names, which is looked up in the same way. */
async function runInterpreter(file: string, request: ProgramRequest, files: ProgramFiles): Promise<Program> {
  const line = /^#!\s*(\S+)(?:[ \t]+(\S+))?/.exec(await files.beginning(file));
  const [, first = '', second = ''] = line ?? [];
  const name = posix.basename(first) === 'env' ? second : posix.basename(first);
  if (!/^[\w.+-]+$/.test(name)) throw spawnError(request.command, 'ENOEXEC');
  const interpreter = await windowsFile({ ...request, command: name }, files);
  if (interpreter === undefined || !/\.(?:exe|com)$/i.test(interpreter)) {
    throw spawnError(request.command, 'ENOENT');
  }
  return { file: interpreter, args: [file, ...request.args], verbatim: false };
}

function spawnError(command: string, code: string): Error {
  return Object.assign(new Error(`spawn ${command} ${code}`), { code });
}

/**
 * Returns whether a path is an alias of a program from the Microsoft Store, as `WindowsApps\\python.exe` is one. Windows starts it,
 * and does not let anyone open it, as `stat` does.
 * @see https://github.com/nodejs/node/issues/36790
 */
async function isStoreAlias(path: string): Promise<boolean> {
  return lstat(path).then(
    (entry) => !entry.isDirectory(),
    () => false,
  );
}

const SHEBANG_BYTES = 256;

const systemFiles: ProgramFiles = {
  async isFile(path) {
    try {
      return (await stat(path)).isFile();
    } catch (error) {
      return systemErrorCode(error) === 'EACCES' && isStoreAlias(path);
    }
  },
  mayExecute(path) {
    return access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
  },
  async beginning(path) {
    const file = await open(path).catch(() => undefined);
    try {
      const read = await file?.read(Buffer.alloc(SHEBANG_BYTES), 0, SHEBANG_BYTES, 0);
      return read?.buffer.toString('utf8', 0, read.bytesRead) ?? '';
    } catch {
      return '';
    } finally {
      await file?.close();
    }
  },
};
