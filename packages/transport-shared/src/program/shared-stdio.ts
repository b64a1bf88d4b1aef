import type { TransportPlugin } from '@mcp-fittings/client-core';
import {
  resolveStdioEntry,
  stdio,
  type StdioEntry,
  type StdioPluginOptions,
} from '@mcp-fittings/transport-stdio';
import { ownProgram } from '@mcp-fittings/toolbox/own-program';
import { hashText } from '@mcp-fittings/toolbox/text';
import { sharedFolder } from '../wire/socket-address.js';
import type { SharedProcessCommand } from './connect.js';
import { SharedTransport } from './shared-transport.js';

/** Options of {@link sharedStdio}: those of `stdio()` for every server, and where the shared process is. */
export interface SharedStdioOptions extends StdioPluginOptions {
  /**
   * Folder of the socket. Default: `mcp-fittings` in `XDG_RUNTIME_DIR`, or a private folder below the home directory.
   */
  readonly folder?: string | undefined;
  /** Starts the shared process when it does not run; false: connecting fails then. Default: this package, with Node.js. */
  readonly start?:
    | {
        /** The program, as an absolute path. */
        readonly command: string;
        /** Its arguments. */
        readonly args: readonly string[];
      }
    | false
    | undefined;
  /** Milliseconds after which a process that this program has started ends when no program uses it any more. Default 900 000. */
  readonly idleMs?: number | undefined;
  /** Milliseconds after which such a process ends a server that no program uses. Default 600 000. */
  readonly serverIdleMs?: number | undefined;
  /** Milliseconds to wait until it has started. Default 10 000. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * URIs that this program answers `roots/list` with, if its client declares the capability. Programs with the same roots share a
   * server. Called when a server is connected. Default: a server for this program alone, if the client declares roots.
   */
  readonly roots?: (() => readonly string[]) | undefined;
}

const START_TIMEOUT_MS = 10_000;

/**
 * Creates the plugin for servers that run as child processes of the shared process of this user, so that each of them runs once
 * for all programs. Use it in place of `stdio()`: it reads the same entries. Programs share a server if they would start it in
 * the same way: command, arguments, folder, environment, and capabilities of the client.
 *
 * An entry with `stderr: 'inherit'` or `'ignore'` is started by this program, as with `stdio()`.
 *
 * @example
 * ```ts
 * const host = createHost({ name, version, transports: [sharedStdio(), http()] });
 * await host.connect({ files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'] } });
 * ```
 */
export function sharedStdio(options: SharedStdioOptions = {}): TransportPlugin<StdioEntry> {
  const { folder = sharedFolder(), start, startTimeoutMs = START_TIMEOUT_MS, idleMs, serverIdleMs } = options;
  const { roots, ...stdioOptions } = options;
  const own = stdio(stdioOptions);
  return {
    ...own,
    create(entry, deps) {
      const stderr = entry.stderr ?? stdioOptions.stderr ?? 'capture';
      if (stderr !== 'capture' && typeof stderr !== 'function') return own.create(entry, deps);
      const { server, clock, signal, logger, principal } = deps;
      const onStderr =
        typeof stderr === 'function'
          ? stderr
          : logger && ((line: string) => logger.debug(line, { server, stream: 'stderr' }));
      return new SharedTransport({
        opening: () => ({
          launch: {
            ...resolveStdioEntry(entry, stdioOptions),
            principal,
            roots: roots && hashText(JSON.stringify(roots().toSorted())),
          },
          server,
          stderr: onStderr !== undefined,
        }),
        folder,
        start: start === false ? undefined : () => start ?? ownProcess({ folder, idleMs, serverIdleMs }),
        startTimeoutMs,
        server,
        clock,
        signal,
        onStderr,
      });
    },
  };
}

function ownProcess(options: object): SharedProcessCommand {
  return ownProgram({
    package: '@mcp-fittings/transport-shared',
    script: 'dist/process/process-main.js',
    args: [JSON.stringify(options)],
    importer: import.meta.url,
    what: 'the shared process',
    hint: 'Pass `start` to sharedStdio(): a program that is one file can be its own shared process.',
  });
}
