import type { AuthPlugin, TransportPlugin } from '@mcp-fittings/client-core';
import {
  createFileApprovalStore,
  createServerApprovals,
  homeDirectory,
  loadConfig,
  type ServerApprovals,
  type LoadedConfig,
  type LoadConfigOptions,
  type LocationOptions,
} from '@mcp-fittings/config';
import { LAYOUTS } from './layouts.js';
import type { SessionOptions } from './session.js';
import { loadPlugins } from './load-plugins.js';
import { createTransports } from './transports.js';

type PlacedOptions = Pick<SessionOptions, 'layout' | 'cwd' | 'home'>;
type LoadServersOptions = PlacedOptions &
  Pick<SessionOptions, 'env' | 'mcpConfig' | 'strictMcpConfig' | 'plugins' | 'signal'>;

/** Where the files of the chosen layout are, for everything in `config` that reads or writes them. */
export function placeOptions({ layout = 'fittings', cwd, home }: PlacedOptions): LocationOptions {
  return { layout: LAYOUTS[layout], cwd, home };
}

/** What the command line says about the configuration, for `loadConfig` and `watchConfig`. */
export function loadOptions(
  options: LoadServersOptions,
  approvals: ServerApprovals,
  plugins: readonly TransportPlugin[],
): LoadConfigOptions {
  const { env, mcpConfig = [], strictMcpConfig: strict, signal } = options;
  return { ...placeOptions(options), cli: { configs: mcpConfig, strict }, env, approvals, plugins, signal };
}

/** Reads the configuration again with what a question about an unapproved server wants to know. */
export async function loadAgain(
  options: LoadServersOptions,
  parts: Pick<Awaited<ReturnType<typeof loadServers>>, 'approvals' | 'transports'>,
  hasSignIn: NonNullable<LoadConfigOptions['hasSignIn']>,
): Promise<LoadedConfig> {
  return loadConfig({ ...loadOptions(options, parts.approvals, parts.transports), hasSignIn });
}

/** The configuration alone: no protocol, no network, no store. For commands that only read or write files. */
export async function loadServers(options: LoadServersOptions): Promise<{
  readonly loaded: LoadedConfig;
  readonly approvals: ServerApprovals;
  readonly transports: readonly TransportPlugin[];
  /** Third-party sign-in schemes. */
  readonly auth: readonly AuthPlugin[];
  /** The one home directory of this run: configuration, approvals, credentials and imports are below it. */
  readonly home: string;
}> {
  const home = await homeDirectory(placeOptions(options));
  const approvals = createServerApprovals({ store: createFileApprovalStore({ home }) });
  const others = await loadPlugins(options.plugins ?? [], options.cwd ?? process.cwd());
  const transports = [...createTransports(), ...others.transports];
  const loaded = await loadConfig(loadOptions(options, approvals, transports));
  return { loaded, approvals, transports, auth: others.auth, home };
}
