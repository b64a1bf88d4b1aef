import type { TransportPlugin } from '@mcp-fittings/client-core';
import {
  type LoadConfigOptions,
  type LoadedConfig,
  type ServerApprovals,
  createFileApprovalStore,
  createServerApprovals,
  homeDirectory,
  loadConfig,
} from '@mcp-fittings/config';
import type { StdioPluginOptions } from '@mcp-fittings/transport-stdio';
import type { DesktopEnvironment } from '@mcp-fittings/transport-stdio/desktop';
import { InstalledTransports } from '../installed/transports.js';
import type { OpenHostOptions } from '../options.js';
import { InputValues } from './input-values.js';
import { layoutOf } from './layouts.js';
import { openSignInLookup } from './stored-sign-in.js';

/** Options of {@link loadServers}: those of `openHost()` that are about the configuration, and those of a command line. */
export interface LoadServersOptions extends Pick<
  OpenHostOptions,
  | 'servers'
  | 'layout'
  | 'cwd'
  | 'home'
  | 'env'
  | 'approve'
  | 'askInput'
  | 'store'
  | 'plaintextConsent'
  | 'transports'
  | 'without'
  | 'clock'
  | 'signal'
> {
  /** Additional configuration, as files or JSON. Later ones win, and all win over files of the layout. Default: none. */
  readonly mcpConfig?: readonly string[] | undefined;
  /** Ignores all servers but those of `mcpConfig`. Default: false. */
  readonly strictMcpConfig?: boolean | undefined;
  /** Options of the installed transport of local servers. Default: none. */
  readonly stdio?: StdioPluginOptions | undefined;
  /** If true, questions about servers say where the user has signed in. Default: true if there is an `approve`. */
  readonly looksUpSignIns?: boolean | undefined;
}

/** The configuration, and what was needed to load it. */
export interface LoadedServers {
  /** The configuration, with the problems and approvals of every entry. */
  readonly loaded: LoadedConfig;
  /** The user's decisions about servers that came with a project. */
  readonly approvals: ServerApprovals;
  /** Transports that entries may use. Each is imported for the first entry that needs it. */
  readonly transports: readonly TransportPlugin[];
  /** Resolves to the transports with the schemas of all, for `createConfigEditor` of `@mcp-fittings/config`. */
  readonly loadTransports: () => Promise<readonly TransportPlugin[]>;
  /** Source of the PATH of local servers, if it is not that of this program, which a desktop started. */
  readonly searchPath: DesktopEnvironment['source'] | undefined;
  /** The values of inputs, to redact. */
  readonly inputValues: readonly string[];
  /** The home directory of this run, with configuration, approvals, credentials and the files of other programs. */
  readonly home: string;
  /** Loads the same files again: pass it to `loadConfig` or `watchConfig` of `@mcp-fittings/config`. */
  readonly options: LoadConfigOptions;
}

/**
 * Loads only the configuration: no host, no network, and no credential store unless a question says where the user has signed in.
 * Rejects as `loadConfig` of `@mcp-fittings/config` does; an invalid entry does not reject, but is among `loaded.problems`.
 */
export async function loadServers(options: LoadServersOptions): Promise<LoadedServers> {
  const { cwd, env, approve, clock, signal, mcpConfig = [], strictMcpConfig: strict } = options;
  const place = { layout: layoutOf(options.layout), cwd, home: options.home };
  const home = await homeDirectory(place);
  const inputs = new InputValues({ ...options, home });
  const installed = new InstalledTransports({
    own: options.transports,
    without: options.without,
    home,
    stdio: { ...options.stdio, secrets: inputs.secrets },
  });
  const store = createFileApprovalStore({ home });
  const silent: LoadConfigOptions = {
    ...place,
    cli: { configs: mcpConfig, strict },
    dynamic: options.servers,
    env,
    approvals: createServerApprovals({ store, clock }),
    askInput: (question) => inputs.lookUp(question),
    plugins: (types, { root }) => installed.load(types, root),
    signal,
  };
  const approvals = createServerApprovals({ store, approve, clock });
  const asking: LoadConfigOptions = {
    ...silent,
    approvals,
    askInput: (question) => inputs.getOrAsk(question),
  };
  let loaded = await loadConfig(silent);
  const { looksUpSignIns = approve !== undefined } = options;
  const asked = loaded.entries.filter(({ approval }) => approval !== undefined);
  if (
    looksUpSignIns &&
    asked.some(({ approval }) => approval !== undefined && 'url' in approval.definition)
  ) {
    await using lookup = openSignInLookup({ store: options.store, home }, loaded);
    loaded = await loadConfig({ ...asking, hasSignIn: (url) => lookup.hasSignIn(url) });
  } else if ((approve !== undefined && asked.length > 0) || inputs.lacks) loaded = await loadConfig(asking);
  return {
    loaded,
    approvals,
    transports: installed.plugins,
    loadTransports: () => installed.load(),
    searchPath: installed.searchPath,
    inputValues: inputs.secrets,
    home,
    options: asking,
  };
}
