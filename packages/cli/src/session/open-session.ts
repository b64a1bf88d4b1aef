import { pathToFileURL } from 'node:url';
import type {
  AuthDeps,
  AuthProvider,
  FittingsError,
  ServerConfig,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import type { ServerSnapshot } from '@mcp-fittings/host';
import type { OpenHostOptions } from '@mcp-fittings/preset';
import {
  type ConfiguredHost,
  type LoadServersOptions,
  type LoadedServers,
  loadServers,
} from '@mcp-fittings/preset/toolkit';
import type { CommandDeps } from '../command-deps.js';
import type { StoreName } from '../options.js';
import { noteUnreadFiles } from '../output/config-problems.js';
import { noteLogger } from '../output/note-logger.js';
import { printable } from '../output/printable.js';
import { packageVersion } from '../own-files.js';
import { loadPlugins } from './load-plugins.js';
import { usableEntry } from './resolve-server.js';
import { configSecrets } from './secrets.js';
import { chooseStore } from './store-choice.js';

/** The configuration of a command, and what its host is created with. */
export interface CommandServers extends LoadedServers {
  readonly hostOptions: OpenHostOptions;
}

/** The session of a command. */
export interface CommandSession extends CommandServers, ConfiguredHost, AsyncDisposable {
  /**
   * Connects the named servers, or all that are enabled and approved. Resolves with their snapshots when each is connected
   * or has failed. Rejects with `SERVER_UNKNOWN`, `APPROVAL_REQUIRED`, `POLICY_DENIED` or `CONFIG_INVALID` if a named
   * server cannot be used.
   */
  readonly connect: (names?: readonly string[]) => Promise<readonly ServerSnapshot[]>;
  /** Returns the command with which the user signs in to a server. */
  readonly loginCommand: (server: string) => string;
  /** Error because of which the credential store cannot be used; undefined until it fails. */
  readonly storeError: FittingsError | undefined;
}

interface LoadOptions extends Pick<LoadServersOptions, 'looksUpSignIns' | 'askInput' | 'plaintextConsent'> {
  /** Runs local servers in the shared process, if the user wants that. Default: true. */
  readonly mayShare?: boolean | undefined;
}

/** The user waits for the prompt, so a server that ignores the end of stdin gets SIGTERM sooner than in a host. */
const SHUTDOWN = { afterStdinEndMs: 500 };

/** Loads the configuration that the global options name, and no more. */
export async function loadForCommand(
  deps: CommandDeps,
  { looksUpSignIns, askInput, plaintextConsent, mayShare = true }: LoadOptions = {},
): Promise<CommandServers> {
  const { options, env, cwd, signal, clock } = deps;
  const { transports, auth } = await loadPlugins(options.plugin, cwd);
  const { layout, mcpConfig, strictMcpConfig } = options;
  const common = { layout, cwd, env, signal, clock, store: chooseStore(options.store, env) };
  const hostOptions: OpenHostOptions = {
    ...common,
    name: 'fittings',
    version: packageVersion(),
    transports: [...(await sharedTransport(deps, mayShare)), ...transports],
    auth,
    ...(options.verbose && { logger: noteLogger(deps.output, []) }),
  };
  const loading = {
    ...common,
    transports: hostOptions.transports,
    stdio: { shutdown: SHUTDOWN },
    mcpConfig,
    strictMcpConfig,
    looksUpSignIns,
    askInput,
    plaintextConsent,
  };
  return { ...(await loadServers(loading)), hostOptions };
}

/** Creates the transport that runs local servers in the shared process, if the user wants that. */
async function sharedTransport(
  { options, env, cwd, programFile }: CommandDeps,
  mayShare: boolean,
): Promise<readonly TransportPlugin[]> {
  if (!mayShare || !(options.shared ?? env['FITTINGS_SHARED'] === '1')) return [];
  const { sharedStdio } = await import('@mcp-fittings/transport-shared');
  return [
    sharedStdio({
      shutdown: SHUTDOWN,
      // What `hostCallbacks` answers `roots/list` with.
      roots: () => [pathToFileURL(cwd).href],
      ...(programFile !== undefined && {
        start: { command: process.execPath, args: [programFile, 'serve', '--socket'] },
      }),
    }),
  ];
}

interface OpenSessionOptions
  extends LoadOptions, Pick<OpenHostOptions, 'callbacks' | 'interaction' | 'logger'> {
  /** The configuration, if it was loaded before. */
  readonly configured?: CommandServers | undefined;
  /** If true, the command shows itself which files cannot be used. Default: they are noted. */
  readonly showsFiles?: boolean | undefined;
}

/**
 * Opens the session of a command and redacts its secrets from the output. Dispose of it. `storeFlag` is the value of
 * `--store` in sign-in commands; default: that of this command line.
 */
export async function openSession(
  deps: CommandDeps,
  { configured, showsFiles = false, mayShare, looksUpSignIns, askInput, ...more }: OpenSessionOptions = {},
  storeFlag: StoreName | undefined = deps.options.store,
): Promise<CommandSession> {
  const { createConfiguredHost } = await import('@mcp-fittings/preset/toolkit');
  const { output } = deps;
  const { plaintextConsent } = more;
  const loading = { mayShare, looksUpSignIns, askInput, plaintextConsent };
  const servers = configured ?? (await loadForCommand(deps, loading));
  const { loaded } = servers;
  let storeError: FittingsError | undefined;
  const session = await createConfiguredHost(
    servers,
    { ...servers.hostOptions, ...more },
    {
      // Servers that need a sign-in report it; the others do not need the store.
      onStoreUnavailable(error) {
        storeError = error;
        output.detail(printable(error.message));
      },
    },
  );
  output.hide([...configSecrets(loaded), ...servers.inputValues]);
  if (!showsFiles) noteUnreadFiles(loaded.problems, output);
  const chosen = (names: readonly string[]): Record<string, ServerConfig> =>
    Object.fromEntries(names.map((name) => [name, usableEntry(name, loaded)]));
  return {
    ...servers,
    ...session,
    // It rejects for an unusable entry, and does not throw.
    connect: async (names) => session.host.connect(names === undefined ? loaded.servers : chosen(names)),
    loginCommand(server) {
      const flag = storeError === undefined ? storeFlag : 'file';
      return `fittings login ${server}${flag === undefined ? '' : ` --store ${flag}`}`;
    },
    get storeError() {
      return storeError;
    },
    [Symbol.asyncDispose]: () => session.close(),
  };
}

/** Creates the provider that signs the requests to one server: that of the first scheme that takes the entry. */
export async function createProvider(
  { auth, loaded }: Pick<CommandSession, 'auth' | 'loaded'>,
  { name, config }: { readonly name: string; readonly config: ServerConfig },
  { logger, clock }: AuthDeps,
): Promise<AuthProvider | undefined> {
  for (const plugin of await auth(config)) {
    const provider = plugin.create({ name, config, identity: loaded.identities[name] }, { logger, clock });
    if (provider !== undefined) return provider;
  }
  return undefined;
}
