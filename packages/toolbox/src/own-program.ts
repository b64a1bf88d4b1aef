/**
 * For packages with a program or a native part of their own: finds it beside a bundle, too. A separate entry point, because transports
 * that start programs of others do not need it. Node.js only.
 *
 * @packageDocumentation
 */
import { basename, dirname, join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';

/** A program of these packages, and the Node.js that runs it. */
export interface OwnProgram {
  /** Path of Node.js, Bun, Deno, or an Electron that acts as Node.js. */
  readonly command: string;
  /** The script, and the arguments that follow it. */
  readonly args: readonly string[];
  /** Variables that it needs to act as Node.js. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program to find. */
export interface OwnProgramRequest {
  /** Package of the script. */
  readonly package: string;
  /** Path of the script in the package. */
  readonly script: string;
  /** Arguments that follow the script. Default none. */
  readonly args?: readonly string[] | undefined;
  /** `import.meta.url` of the module that needs it; undefined in a bundle in the CommonJS format. */
  readonly importer: string | undefined;
  /** Names it in errors, such as `the helper process of the keychain`. */
  readonly what: string;
  /** Hint of the error if the script or Node.js is missing. */
  readonly hint: string;
  /** Path of a Node.js to use. Default: the one of this program. */
  readonly execPath?: string | undefined;
}

const PAGE = 'https://github.com/mcp-fittings/mcp-fittings/blob/main/docs/bundling.md';

/** Marks a process that was started here, so that a program that was started in place of Node.js does not start itself again. */
const MARK = 'MCP_FITTINGS_OWN_PROGRAM';

/**
 * Finds a program that is a script of one of these packages, and a Node.js to run it with. A bundle does not contain such a script: it is
 * looked up among the packages that are installed beside the bundle, the program or the executable. Throws `COMMAND_NOT_FOUND` if it
 * is not there, or if this program is a single executable, which would start itself again.
 */
export function ownProgram(request: OwnProgramRequest): OwnProgram {
  const { package: name, script, args = [], importer, what, hint, execPath } = request;
  const missing = (why: string, cause?: unknown): FittingsError =>
    new FittingsError('COMMAND_NOT_FOUND', `Cannot start ${what}: ${why}.`, {
      cause,
      hint: `${hint} See ${PAGE}`,
    });
  if (process.env[MARK] !== undefined || (execPath === undefined && isExecutableWithoutNode()))
    throw missing('this program is a single executable without Node.js');
  let path: string;
  try {
    // A program that Bun has compiled does not read `exports`.
    path = join(dirname(installedFile(`${name}/package.json`, importer)), script);
  } catch (cause) {
    throw missing(`${name} is not installed beside this program`, cause);
  }
  return {
    command: execPath ?? process.execPath,
    args: [path, ...args],
    env: { ...runtimeVariables(), [MARK]: '1' },
  };
}

/**
 * Returns the path of a file of an installed package: from the module that needs it, or else, because a bundle is elsewhere, from the
 * program or the executable. Throws if it is not found.
 */
export function installedFile(specifier: string, importer: string | undefined): string {
  // webpack rewrites the calls of what it sees imported.
  const { createRequire } = process.getBuiltinModule('node:module');
  let failure: unknown;
  for (const place of [importer, process.argv[1], process.execPath]) {
    if (place === undefined) continue;
    try {
      return createRequire(place).resolve(specifier);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** Returns what makes Electron, and a program that Bun has compiled, act as the runtime that they contain. */
function runtimeVariables(): Record<string, string> {
  if ('electron' in process.versions) return { ELECTRON_RUN_AS_NODE: '1' };
  return isCompiledByBun() ? { BUN_BE_BUN: '1' } : {};
}

function isCompiledByBun(): boolean {
  return 'bun' in process.versions && !/^bun(\.exe)?$/i.test(basename(process.execPath));
}

function isExecutableWithoutNode(): boolean {
  if ('bun' in process.versions || 'electron' in process.versions) return false;
  if ('deno' in process.versions) return !/^deno(\.exe)?$/i.test(basename(process.execPath));
  return process.getBuiltinModule('node:sea').isSea();
}
