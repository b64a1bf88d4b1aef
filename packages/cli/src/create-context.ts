import { setMaxListeners } from 'node:events';
import { Socket } from 'node:net';
import type { Clock } from '@mcp-fittings/client-core';
import type { CommandContext } from './command-context.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { GlobalOptions } from './global-options.js';
import type { Output } from './output/output.js';
import type { World } from './world.js';

export interface OwnContext {
  readonly context: CommandContext;
  readonly exitCode: ExitCode;
  /** Loads what commands share. Until then the context is only good for registering them, so that help is quick. */
  prepare(): Promise<void>;
}

/** The context of one run. `options` is asked when it is needed, because commands register before they are parsed. */
export function createContext(world: World, options: () => GlobalOptions): OwnContext {
  const { stdin, stdout, stderr, env, cwd, signal } = world;
  // Every server listens to it, and there is no limit to servers.
  setMaxListeners(0, signal);
  let exitCode: ExitCode = EXIT.ok;
  let parts: { readonly output: Output; readonly clock: Clock } | undefined;
  const prepared = (): NonNullable<typeof parts> => {
    if (parts === undefined) throw new Error('The context is used before a command runs.');
    return parts;
  };
  return {
    get exitCode() {
      return exitCode;
    },
    async prepare() {
      const { systemClock } = await import('@mcp-fittings/client-core/timing');
      const { createOutput } = await import('./output/create-output.js');
      const { wantsColours } = await import('./output/style.js');
      const { json, verbose, color } = options();
      const output = createOutput({
        stdout,
        stderr,
        json,
        verbose,
        colours: {
          stdout: color && wantsColours(stdout.isTTY === true, env),
          stderr: color && wantsColours(stderr.isTTY === true, env),
        },
        columns: () => columnsOf(stdout),
        noteColumns: () => columnsOf(stderr),
      });
      parts = { output, clock: world.clock ?? systemClock };
    },
    context: {
      stdin,
      stdout,
      stderr,
      env,
      cwd,
      signal,
      get clock() {
        return prepared().clock;
      },
      get output() {
        return prepared().output;
      },
      get interactive() {
        return stdin.isTTY === true && stderr.isTTY === true && !options().json;
      },
      get options() {
        return options();
      },
      live:
        // A dumb terminal shows what moves its cursor as text.
        stderr.isTTY === true && env['TERM'] !== 'dumb' && !sharesTerminal(stdout)
          ? { stream: stderr, columns: () => columnsOf(stderr) ?? 80, rows: () => known(stderr.rows) ?? 24 }
          : undefined,
      setExitCode(code) {
        exitCode = code;
      },
    },
  };
}

/** Columns of a terminal, 80 for one that does not say; undefined for any other stream. */
function columnsOf({ isTTY, columns }: World['stdout']): number | undefined {
  return isTTY === true ? (known(columns) ?? 80) : undefined;
}

/** A terminal that does not know its size says 0. */
function known(size: number | undefined): number | undefined {
  return size === undefined || size <= 0 ? undefined : size;
}

/**
 * The reader of a pipe may write to the same terminal at any time, as `| cat`, `| less` and `| fzf` do: to move the cursor
 * there would erase what it wrote.
 */
function sharesTerminal(stdout: World['stdout']): boolean {
  return stdout.isTTY !== true && stdout instanceof Socket;
}
