import type { AuthPlugin, TransportPlugin } from '@mcp-fittings/client-core';
import {
  type ServerApprovals,
  type Layout,
  type LoadConfigOptions,
  type LoadedConfig,
  type LocationOptions,
  createFileApprovalStore,
  createServerApprovals,
  defineLayout,
  homeDirectory,
  layouts,
  loadConfig,
} from '@mcp-fittings/config';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { sharedStdio } from '@mcp-fittings/transport-shared';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import type { LayoutName } from '../options.js';
import { loadPlugins } from './load-plugins.js';
import { LOCAL_SHUTDOWN } from './local-shutdown.js';
import type { ConfiguredHostOptions } from './configured-host.js';

type PlacedOptions = Pick<ConfiguredHostOptions, 'layout' | 'cwd' | 'home'>;
type LoadServersOptions = PlacedOptions &
  Pick<ConfiguredHostOptions, 'env' | 'mcpConfig' | 'strictMcpConfig' | 'plugins' | 'shared' | 'signal'>;

/** Returns where the files of the chosen layout are. */
export function placeOptions({ layout = 'fittings', cwd, home }: PlacedOptions): LocationOptions {
  return { layout: LAYOUTS[layout], cwd, home };
}

/** Returns the options for `loadConfig` and `watchConfig`. */
export function loadOptions(
  options: LoadServersOptions,
  approvals: ServerApprovals,
  plugins: readonly TransportPlugin[],
): LoadConfigOptions {
  const { env, mcpConfig = [], strictMcpConfig: strict, signal } = options;
  return { ...placeOptions(options), cli: { configs: mcpConfig, strict }, env, approvals, plugins, signal };
}

/** Loads the configuration again, with `hasSignIn` for the prompts about unapproved servers. */
export async function loadAgain(
  options: LoadServersOptions,
  parts: Pick<LoadedServers, 'approvals' | 'transports'>,
  hasSignIn: NonNullable<LoadConfigOptions['hasSignIn']>,
): Promise<LoadedConfig> {
  return loadConfig({ ...loadOptions(options, parts.approvals, parts.transports), hasSignIn });
}

/** The configuration, and what was needed to load it. */
export interface LoadedServers {
  readonly loaded: LoadedConfig;
  readonly approvals: ServerApprovals;
  readonly transports: readonly TransportPlugin[];
  /** Third-party sign-in schemes. */
  readonly auth: readonly AuthPlugin[];
  /** The home directory of this run, with configuration, approvals, credentials and the files of other programs. */
  readonly home: string;
}

/**
 * Loads only the configuration: no host, no network, no credential store. For commands that only read or write files.
 */
export async function loadServers(options: LoadServersOptions): Promise<LoadedServers> {
  const home = await homeDirectory(placeOptions(options));
  const approvals = createServerApprovals({ store: createFileApprovalStore({ home }) });
  const others = await loadPlugins(options.plugins ?? [], options.cwd ?? process.cwd());
  const transports = [...createTransports(options.shared), ...others.transports];
  const loaded = await loadConfig(loadOptions(options, approvals, transports));
  return { loaded, approvals, transports, auth: others.auth, home };
}

/** File for the user's own servers, in all projects and in one project. */
const HOME_FILE = '.config/mcp-fittings/servers.json';

/** The CLI's own layout: the `.mcp.json` of a project, which most programs share, and one file of the user. */
const fittings = defineLayout({
  name: 'fittings',
  sources: [
    { scope: 'user', base: 'home', path: HOME_FILE, servers: [['mcpServers']] },
    { scope: 'project', base: 'project', path: '.mcp.json', servers: [['mcpServers'], []] },
    {
      scope: 'local',
      base: 'home',
      path: HOME_FILE,
      servers: [['projects', '{project}', 'mcpServers']],
    },
  ],
});

export const LAYOUTS: Readonly<Record<LayoutName, Layout>> = {
  fittings,
  'mcp-json': layouts.mcpJson,
  blade: layouts.blade,
  kode: layouts.kode,
  claude: layouts.claude,
  gemini: layouts.gemini,
};

/** Creates all transports that a configuration file can name. */
export function createTransports(shared?: ConfiguredHostOptions['shared']): readonly TransportPlugin[] {
  const older = sse();
  const shutdown = LOCAL_SHUTDOWN;
  return [
    shared === undefined ? stdio({ shutdown }) : sharedStdio({ shutdown, ...shared }),
    http({ fallback: older }),
    older,
    ws(),
  ];
}
