import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, parse, resolve } from 'node:path';
import {
  count,
  described,
  eitherOf,
  entrySchema,
  listOf,
  mapOf,
  oneOf,
  required,
  text,
  type EntryOf,
  type TransportPlugin,
} from '@mcp-fittings/client-core/transport';
import type { StderrTarget, StdioTransportOptions } from './options.js';
import { createExitReaper } from './process/exit-reaper.js';
import { createReapedTransport } from './stdio-transport.js';

const fields = {
  command: required(described('The program, never a shell command line.', text({ minLength: 1 }))),
  args: described('Arguments, each passed on unchanged.', listOf(text())),
  env: described('Variables for the server, besides the inherited ones.', mapOf(text())),
  cwd: described("Working directory of the server. Default: the person's home.", text({ minLength: 1 })),
  inheritEnv: described(
    'Variables of the host that the server gets: safe, all, or the safe ones and these.',
    eitherOf(oneOf('safe', 'all'), listOf(text())),
  ),
  framing: described('How messages are told apart.', oneOf('newline', 'content-length')),
  stderr: described("What becomes of the server's stderr.", oneOf('capture', 'inherit', 'ignore')),
  maxMessageBytes: described('Largest message of the server that is taken.', count({ min: 1 })),
  maxQueuedBytes: described('So many bytes may wait for the server to read.', count({ min: 1 })),
  probeTimeoutMs: described('How long a server may stay silent on `server/discover`.', count()),
};

/** What the configuration of a server with the type `stdio` may say. */
export type StdioEntry = EntryOf<typeof fields>;

/** What holds for every server unless its entry says otherwise. */
export interface StdioPluginOptions extends Pick<
  StdioTransportOptions,
  'inheritEnv' | 'maxMessageBytes' | 'maxQueuedBytes' | 'probeTimeoutMs' | 'shutdown'
> {
  /** Where the servers' stderr goes. Default `capture`; with a logger in the host its lines go there (`debug`). */
  readonly stderr?: Exclude<StderrTarget, 'pipe' | 'overlapped'> | undefined;
  /**
   * The folder in which a server starts whose entry has no `cwd`, and against which a relative `cwd` is resolved. Never
   * the folder in which the host happens to run: `npx` and the like take programs and settings from where they start.
   * Default: the home of the person, or the root of the file system where that does not exist.
   */
  readonly home?: string | undefined;
}

/** The plugin for servers that run as child processes: config `type` is `stdio`. */
export function stdio({ home, ...options }: StdioPluginOptions = {}): TransportPlugin<StdioEntry> {
  const reaper = createExitReaper();
  return {
    specVersion: 1,
    type: 'stdio',
    schema: entrySchema(fields),
    create(entry, { server, clock, signal, logger }) {
      const toLogger: StderrTarget = (line) => logger?.debug(line, { server, stream: 'stderr' });
      const merged = { ...options, ...entry };
      const base = home ?? ownHome();
      const stderr = merged.stderr ?? 'capture';
      return createReapedTransport(
        {
          ...merged,
          cwd: entry.cwd === undefined ? base : resolve(base, entry.cwd),
          stderr: stderr === 'capture' && logger !== undefined ? toLogger : stderr,
          server,
          clock,
          signal,
        },
        reaper,
      );
    },
  };
}

/** Accounts of services and containers may name a home that is not there. */
function ownHome(): string {
  const home = homedir();
  if (isAbsolute(home) && statSync(home, { throwIfNoEntry: false })?.isDirectory() === true) return home;
  return parse(process.execPath).root;
}
