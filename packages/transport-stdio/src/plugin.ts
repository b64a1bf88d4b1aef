import { resolve } from 'node:path';
import type { TransportPlugin } from '@mcp-fittings/client-core';
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
} from '@mcp-fittings/toolbox/entries';
import type { StdioTransportOptions } from './options.js';
import { childEnvironment } from './process/environment.js';
import { createStdioTransport } from './stdio-transport.js';

/** A configuration entry with `type: "stdio"`, or with a `command`, as {@link stdio} reads it. */
export interface StdioEntry {
  /** The program to run, as a path or as a name to find on the PATH of the server. Not a shell command line. */
  readonly command: string;
  /** Arguments of the program; each is passed on unchanged. Default none. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables of the server, which override inherited ones. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Working directory of the server; a relative path is resolved against that of the host. Default: that of the host. */
  readonly cwd?: string | undefined;
  /** Environment variables of the host that the server inherits. Default: that of the plugin, or `safe`. */
  readonly inheritEnv?: 'safe' | 'all' | readonly string[] | undefined;
  /** Framing of messages. Default `newline`. */
  readonly framing?: 'newline' | 'content-length' | undefined;
  /** Target of the stderr of the server. Default: that of the plugin, or `capture`. */
  readonly stderr?: 'capture' | 'inherit' | 'ignore' | undefined;
  /** Largest message that is accepted from the server, in bytes. Default: that of the plugin, or 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Bytes that may wait for the server to read them. Default: that of the plugin, or 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** Milliseconds after which a server that does not answer `server/discover` is sent a `ping`. Default 5000. */
  readonly probeTimeoutMs?: number | undefined;
}

const schema = entrySchema({
  command: required(described('The program to run. Not a shell command line.', text({ minLength: 1 }))),
  args: described('Arguments, each passed on unchanged.', listOf(text())),
  env: described('Environment variables, besides the inherited ones.', mapOf(text())),
  cwd: described('Working directory. Default: that of the host.', text({ minLength: 1 })),
  inheritEnv: described(
    'Inherited variables: "safe", "all", or the safe ones and these.',
    eitherOf(oneOf('safe', 'all'), listOf(text())),
  ),
  framing: described('How messages are delimited.', oneOf('newline', 'content-length')),
  stderr: described('Target of its stderr.', oneOf('capture', 'inherit', 'ignore')),
  maxMessageBytes: described('Largest message of the server, in bytes.', count({ min: 1 })),
  maxQueuedBytes: described('Most bytes that wait for the server to read them.', count({ min: 1 })),
  probeTimeoutMs: described('Milliseconds to wait for `server/discover` before a `ping`.', count()),
});

/** Options of {@link stdio}: defaults for every server, which its configuration entry overrides. */
export interface StdioPluginOptions extends Pick<
  StdioTransportOptions,
  | 'inheritEnv'
  | 'parentEnv'
  | 'maxMessageBytes'
  | 'maxQueuedBytes'
  | 'probeTimeoutMs'
  | 'secrets'
  | 'shutdown'
> {
  /** Target of the stderr of the servers. Default `capture`; if the host has a logger, its lines are logged as `debug`. */
  readonly stderr?: Exclude<StdioTransportOptions['stderr'], 'pipe' | 'overlapped'>;
}

/**
 * Creates the plugin for servers that run as child processes: configuration entries with `type: "stdio"` or a `command`. A server
 * without `cwd` starts where the host stands; `loadConfig` of `@mcp-fittings/config` gives each entry of a file a `cwd`.
 *
 * @example
 * ```ts
 * const host = createHost({ name, version, transports: [stdio({ inheritEnv: ['GITHUB_TOKEN'] })] });
 * await host.connect({ files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'] } });
 * ```
 */
export function stdio(options: StdioPluginOptions = {}): TransportPlugin<StdioEntry> {
  return {
    specVersion: 1,
    type: 'stdio',
    schema,
    create(entry, { server, clock, signal, logger }) {
      const toLogger = (line: string): void => logger?.debug(line, { server, stream: 'stderr' });
      const merged = { ...options, ...entry };
      const stderr = merged.stderr ?? 'capture';
      return createStdioTransport({
        ...merged,
        stderr: stderr === 'capture' && logger !== undefined ? toLogger : stderr,
        server,
        clock,
        signal,
      });
    },
  };
}

/** Describes what {@link stdio} would start for an entry. */
export interface StdioLaunch extends Pick<
  StdioTransportOptions,
  'framing' | 'maxMessageBytes' | 'maxQueuedBytes' | 'probeTimeoutMs' | 'secrets' | 'shutdown'
> {
  /** The program to run. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Absolute path of its working directory. */
  readonly cwd: string;
  /** The variables that its entry configures. Errors and logs do not contain their values. */
  readonly env: Readonly<Record<string, string>>;
  /** The other variables that it gets: those of this process that it inherits. */
  readonly parentEnv: Readonly<Record<string, string>>;
}

/**
 * Resolves what {@link stdio} would start for an entry in this process, so that another process can start it in its place: pass
 * the result to {@link createStdioTransport} with `inheritEnv: 'all'`.
 *
 * @example
 * ```ts
 * const launch = resolveStdioEntry({ command: 'node', args: ['server.js'], env: { TOKEN: 'x' } });
 * const transport = createStdioTransport({ ...launch, inheritEnv: 'all' });
 * ```
 */
export function resolveStdioEntry(entry: StdioEntry, options: StdioPluginOptions = {}): StdioLaunch {
  const { command, args = [], env = {}, inheritEnv = 'safe', ...merged } = { ...options, ...entry };
  const { parentEnv: inherited = process.env } = options;
  const { framing, maxMessageBytes, maxQueuedBytes, probeTimeoutMs, secrets, shutdown } = merged;
  const all = childEnvironment(inherited, env, inheritEnv, process.platform);
  const parentEnv = Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(env, name)));
  const cwd = resolve(entry.cwd ?? '.');
  const limits = { framing, maxMessageBytes, maxQueuedBytes, probeTimeoutMs, shutdown };
  return { command, args, cwd, env, parentEnv, secrets, ...limits };
}
