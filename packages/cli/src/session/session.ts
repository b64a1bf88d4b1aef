import type { SignInSurface, SurfaceChooser } from '@mcp-fittings/auth-oauth';
import { XAA_EXTENSION } from '@mcp-fittings/auth-xaa';
import type {
  AuthPlugin,
  Clock,
  FittingsError,
  Logger,
  ServerConfig,
  TokenStore,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import type { Approvals, LoadedConfig } from '@mcp-fittings/config';
import { type Host, type HostCallbacks, type ServerSnapshot, createHost } from '@mcp-fittings/host';
import { sdk } from '@mcp-fittings/host/sdk-v2';
import type { LayoutName, StoreName } from '../options.js';
import { packageVersion } from '../version.js';
import { createAuth } from './create-auth.js';
import { openStore, storeForReading } from './credential-store.js';
import { loadServers } from './load-servers.js';
import { usableEntry } from './resolve-server.js';
import { configSecrets } from './secrets.js';

export interface SessionOptions {
  /** Default `fittings`. */
  readonly layout?: LayoutName | undefined;
  /** Default: the process's. */
  readonly cwd?: string | undefined;
  /** Default: the operating system's answer. */
  readonly home?: string | undefined;
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** `--mcp-config`: files or JSON; later ones win. */
  readonly mcpConfig?: readonly string[] | undefined;
  /** Only what `mcpConfig` names counts. Default false. */
  readonly strictMcpConfig?: boolean | undefined;
  /** Packages or files with third-party transports and sign-in schemes, imported as code. Default none. */
  readonly plugins?: readonly string[] | undefined;
  /** Where credentials are kept. Default `keychain`; never another one in its place. */
  readonly store?: StoreName | undefined;
  /** The store that was named on the command line, so that commands to copy name it too. */
  readonly storeFlag?: StoreName | undefined;
  /** Asked before credentials are written to disk unencrypted (`store: 'file'`). Default: refused. */
  readonly plaintextConsent?: ((question: { readonly path: string }) => Promise<boolean>) | undefined;
  /** How a person signs in. Default: nobody is there. */
  readonly interaction?: SignInSurface | SurfaceChooser | undefined;
  /**
   * Told once when the store can't be read: whoever is signed in counts as signed out then, and no other store takes its
   * place. Writing to it rejects.
   */
  readonly onStoreUnavailable?: ((error: FittingsError) => void) | undefined;
  readonly callbacks?: HostCallbacks | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All packages put together for one configuration. Nothing is connected until {@link connect}. */
export interface Session extends AsyncDisposable {
  readonly loaded: LoadedConfig;
  readonly approvals: Approvals;
  readonly store: TokenStore;
  readonly transports: readonly TransportPlugin[];
  readonly auth: readonly AuthPlugin[];
  /** It knows no server until {@link connect}. */
  readonly host: Host;
  /** Values in the configuration that must not be printed. */
  readonly secrets: readonly string[];
  /** The command that signs in to a server, to be copied. */
  readonly loginCommand: (server: string) => string;
  /** Why the credential store cannot be used, once that was noticed. */
  readonly storeError: FittingsError | undefined;
  /** Connects these servers, or all that may be connected. Rejects with `SERVER_UNKNOWN`, `APPROVAL_REQUIRED`, … */
  connect(names?: readonly string[]): Promise<readonly ServerSnapshot[]>;
  /** Closes the host and the credential store. The same as disposing of it. */
  close(): Promise<void>;
}

/**
 * Puts all packages together for one configuration: the only place where it is decided which parts there are. Rejects
 * as `loadConfig` does; a server with a mistake is a problem of the configuration, not of the session.
 */
export async function createSession(options: SessionOptions = {}): Promise<Session> {
  const { logger, clock, callbacks } = options;
  const { loaded, approvals, transports, auth: others, home } = await loadServers(options);
  const { store, close } = openStore({ ...options, home });
  let storeError: FittingsError | undefined;
  const readable = storeForReading(store, (error) => {
    storeError = error;
    options.onStoreUnavailable?.(error);
  });
  const { plugins: ours, sharesSignIn } = createAuth(loaded, readable, options);
  // OAuth takes any URL, so that what the user added is asked first.
  const auth = [...others, ...ours];
  const host = createHost({
    engine: sdk({
      name: 'fittings',
      version: packageVersion(),
      ...(sharesSignIn && { extensions: { [XAA_EXTENSION]: {} } }),
    }),
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
    loginCommand(server) {
      const flag = storeError === undefined ? options.storeFlag : 'file';
      return `fittings login ${server}${flag === undefined ? '' : ` --store ${flag}`}`;
    },
    get storeError() {
      return storeError;
    },
    async connect(names) {
      return host.connect(names === undefined ? loaded.servers : chosen(names));
    },
    close: end,
    [Symbol.asyncDispose]: end,
  };
}
