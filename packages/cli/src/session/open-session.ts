import { pathToFileURL } from 'node:url';
import type { FittingsError, Logger } from '@mcp-fittings/client-core';
import type { ServerEntry } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import type { StoreName } from '../options.js';
import { noteUnreadFiles } from '../output/config-problems.js';
import { jsonText, printable } from '../output/printable.js';
import { type LoadedServers, loadServers } from './load-servers.js';
import type { ConfiguredHost, ConfiguredHostOptions } from './configured-host.js';
import { removeOldCaches } from '../startup/cache-folder.js';
import { chooseStore } from './store-choice.js';

/** The session of a command. */
export interface CommandSession extends ConfiguredHost {
  /** Returns the command with which the user signs in to a server. */
  readonly loginCommand: (server: string) => string;
  /** Why the credential store cannot be used; undefined until it fails. */
  readonly storeError: FittingsError | undefined;
}

/** Returns what the global options say about the session and the configuration. */
export function sessionOptions(deps: CommandDeps): ConfiguredHostOptions {
  const { options, env, cwd, signal, clock } = deps;
  return {
    ...options,
    plugins: options.plugin,
    store: chooseStore(options.store, env),
    env,
    cwd,
    signal,
    clock,
    shared: sharedOptions(deps),
    ...(options.verbose && { logger: createLogger(deps) }),
  };
}

/** Returns how local servers are shared; undefined if they are not. */
function sharedOptions({ options, env, cwd, programFile }: CommandDeps): ConfiguredHostOptions['shared'] {
  if (!(options.shared ?? env['FITTINGS_SHARED'] === '1')) return undefined;
  return {
    // What `hostCallbacks` answers `roots/list` with.
    roots: () => [pathToFileURL(cwd).href],
    ...(programFile !== undefined && {
      start: { command: process.execPath, args: [programFile, 'serve', '--socket'] },
    }),
  };
}

interface OpenSessionOptions extends ConfiguredHostOptions {
  /** The configuration, if it was loaded before. */
  readonly configured?: LoadedServers | undefined;
  /** Whether the command connects no servers but those of the configuration, as it is now. Default: false. */
  readonly onlyConfigured?: boolean;
  /** Whether the command shows itself which files cannot be used. Default: they are noted. */
  readonly showsFiles?: boolean | undefined;
}

/**
 * Opens the session of a command and redacts its secrets from the output. Dispose of it. `storeFlag` is the value of
 * `--store` in sign-in commands; default: that of this command line.
 */
export async function openSession(
  deps: CommandDeps,
  { configured, onlyConfigured = false, showsFiles = false, ...more }: OpenSessionOptions = {},
  storeFlag: StoreName | undefined = deps.options.store,
): Promise<CommandSession> {
  const { createLoadedHost } = await import('./configured-host.js');
  removeOldCaches();
  const { output } = deps;
  let storeError: FittingsError | undefined;
  const options: ConfiguredHostOptions = {
    ...sessionOptions(deps),
    ...more,
    // Servers that need a sign-in report it; the others do not need the store.
    onStoreUnavailable(error) {
      storeError = error;
      output.detail(printable(error.message));
    },
  };
  const servers = configured ?? (await loadServers(options));
  const signIn = !onlyConfigured || servers.loaded.entries.some(mayNeedSignIn);
  const session = await createLoadedHost(servers, options, { signIn });
  output.hide(session.secrets);
  if (!showsFiles) noteUnreadFiles(session.loaded.problems, output);
  return {
    ...session,
    loginCommand(server) {
      const flag = storeError === undefined ? storeFlag : 'file';
      return `fittings login ${server}${flag === undefined ? '' : ` --store ${flag}`}`;
    },
    get storeError() {
      return storeError;
    },
  };
}

/** Returns whether an entry is not simply a program to start. The schemes of sign-in are a quarter of what a call loads. */
function mayNeedSignIn({ definition = {}, config = definition }: ServerEntry): boolean {
  return typeof config['command'] !== 'string' || 'url' in config || 'oauth' in config;
}

/** Prints log messages of the packages as notes of `--verbose`. */
function createLogger({ output }: CommandDeps): Logger {
  const log =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const pairs = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
      output.detail([output.noteStyle.dim(level), printable(message, 2_000), ...pairs].join(' '));
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return printable(value.message);
  return printable(typeof value === 'string' ? value : jsonText(value));
}
