import type { SignInInteraction, InteractionChooser } from '@mcp-fittings/auth-oauth';
import type {
  AuthPlugin,
  Clock,
  FittingsError,
  Logger,
  ServerConfig,
  TokenStore,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import type { ServerApprovals, LoadedConfig } from '@mcp-fittings/config';
import { type Host, type HostCallbacks, type ServerSnapshot, createHost } from '@mcp-fittings/host';
import type { SharedStdioOptions } from '@mcp-fittings/transport-shared';
import { packageVersion } from '../version.js';
import { openStore, storeForReading } from './credential-store.js';
import { type LoadedServers, loadServers } from './load-servers.js';
import { usableEntry } from './resolve-server.js';
import { configSecrets } from './secrets.js';

/** Options of {@link createConfiguredHost}. The defaults are those of `fittings` without options. */
export interface ConfiguredHostOptions {
  /** Set of configuration files to load. Default: `fittings`. */
  readonly layout?: 'fittings' | 'mcp-json' | 'blade' | 'kode' | 'claude' | 'gemini' | undefined;
  /** Directory in which the project's configuration is looked up. Default: `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** Home directory, with the user's configuration, approvals and credentials. Default: that of the operating system. */
  readonly home?: string | undefined;
  /** Environment in which `${NAME}` in entries is expanded. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Additional configuration, as files or JSON. Later ones win, and all win over files of the layout. Default: none. */
  readonly mcpConfig?: readonly string[] | undefined;
  /** Ignores all servers but those of `mcpConfig`. Default: false. */
  readonly strictMcpConfig?: boolean | undefined;
  /** Packages or files with third-party transports and sign-in schemes. They are imported and run. Default: none. */
  readonly plugins?: readonly string[] | undefined;
  /**
   * Runs local servers in the shared process of the user, with these options of `sharedStdio()`. Default: each host starts its
   * own.
   */
  readonly shared?: SharedStdioOptions | undefined;
  /**
   * Where credentials are kept: in the keychain of the operating system, in unencrypted private files, or in memory until the process
   * ends. No other store is used in its place if it fails. Default: `keychain`.
   */
  readonly store?: 'keychain' | 'file' | 'memory' | undefined;
  /**
   * Called before credentials are written unencrypted below `path`, with `store: 'file'`. Writing rejects with
   * `POLICY_DENIED` unless it resolves with true. Default: refuses.
   */
  readonly plaintextConsent?: ((question: { readonly path: string }) => Promise<boolean>) | undefined;
  /** How the user signs in, such as `loopback()` of `@mcp-fittings/auth-oauth`. Default: no interactive sign-in. */
  readonly interaction?: SignInInteraction | InteractionChooser | undefined;
  /**
   * Called once if the credential store cannot be read. Reading then finds no credentials, as if the user were signed out;
   * writing rejects.
   */
  readonly onStoreUnavailable?: ((error: FittingsError) => void) | undefined;
  /** Answers requests of servers, such as `elicit` and `roots`. Default: none. */
  readonly callbacks?: HostCallbacks | undefined;
  /** Receives log messages of all packages. Default: none. */
  readonly logger?: Logger | undefined;
  /** Source of time and timers. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** Aborts loading the configuration. */
  readonly signal?: AbortSignal | undefined;
}

/** A host with the configuration, transports, sign-in schemes and credential store that `fittings` uses. */
export interface ConfiguredHost extends AsyncDisposable {
  /** The configuration, with the problems and approvals of every entry. */
  readonly loaded: LoadedConfig;
  /** The user's decisions about servers that came with a project. */
  readonly approvals: ServerApprovals;
  /** The credential store. Closed with the host. */
  readonly store: TokenStore;
  /** Transports of the host, including those of `plugins`. */
  readonly transports: readonly TransportPlugin[];
  /** Sign-in schemes of the host, in the order in which they are tried. */
  readonly auth: readonly AuthPlugin[];
  /** The host. It has no servers until {@link ConfiguredHost.connect} is called. */
  readonly host: Host;
  /** Values in the configuration that must not be printed or logged. */
  readonly secrets: readonly string[];
  /**
   * Connects the named servers, or all that are enabled and approved. Resolves with their snapshots when each is connected
   * or has failed. Rejects with `SERVER_UNKNOWN`, `APPROVAL_REQUIRED`, `POLICY_DENIED` or `CONFIG_INVALID` if a named
   * server cannot be used.
   */
  connect(names?: readonly string[]): Promise<readonly ServerSnapshot[]>;
  /** Closes all connections and the credential store. Disposing of this object does the same. */
  close(): Promise<void>;
}

/**
 * Creates a host from configuration files as `fittings` does, without connecting. Rejects as `loadConfig` of
 * `@mcp-fittings/config` does; an invalid entry does not reject, but is among `loaded.problems`.
 *
 * @example
 * ```ts
 * await using configured = await createConfiguredHost({ store: 'memory' });
 * await configured.connect();
 * for (const { server, name } of configured.host.tools()) console.log(`${server}/${name}`);
 * ```
 */
export async function createConfiguredHost(options: ConfiguredHostOptions = {}): Promise<ConfiguredHost> {
  return createLoadedHost(await loadServers(options), options);
}

/**
 * Creates the host of a configuration that was loaded with the same options. Without `signIn`, the host has only the
 * sign-in schemes of `plugins`: for servers that need none.
 */
export async function createLoadedHost(
  { loaded, approvals, transports, auth: others, home }: LoadedServers,
  options: ConfiguredHostOptions,
  { signIn = true }: { readonly signIn?: boolean } = {},
): Promise<ConfiguredHost> {
  const { logger, clock, callbacks } = options;
  const { store, close } = openStore({ ...options, home });
  const readable = storeForReading(store, (error) => options.onStoreUnavailable?.(error));
  const own = signIn
    ? (await import('./create-auth.js')).createAuth(loaded, readable, options)
    : { plugins: [], extensions: undefined };
  // OAuth accepts any URL, so plugins come first.
  const auth = [...others, ...own.plugins];
  const host = createHost({
    name: 'fittings',
    version: packageVersion(),
    ...(own.extensions && { extensions: own.extensions }),
    transports,
    auth,
    callbacks,
    logger,
    clock,
  });
  const end = async (): Promise<void> => {
    await host.close();
    await close();
  };
  const chosen = (names: readonly string[]): Record<string, ServerConfig> =>
    Object.fromEntries(names.map((name) => [name, usableEntry(name, loaded)]));
  return {
    loaded,
    approvals,
    store,
    transports,
    auth,
    host,
    secrets: configSecrets(loaded),
    async connect(names) {
      return host.connect(names === undefined ? loaded.servers : chosen(names));
    },
    close: end,
    [Symbol.asyncDispose]: end,
  };
}
