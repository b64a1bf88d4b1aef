import type { AuthPlugin, TransportPlugin } from '@mcp-fittings/client-core';
import {
  type Approvals,
  type Layout,
  type LoadOptions,
  type LoadedConfig,
  PROJECT_KEY,
  type PlaceOptions,
  approvalFile,
  createApprovals,
  defineLayout,
  homeDirectory,
  layouts,
  loadConfig,
} from '@mcp-fittings/config';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import type { LayoutName } from '../options.js';
import { loadPlugins } from './load-plugins.js';
import type { SessionOptions } from './session.js';

type PlacedOptions = Pick<SessionOptions, 'layout' | 'cwd' | 'home'>;
type LoadServersOptions = PlacedOptions &
  Pick<SessionOptions, 'env' | 'mcpConfig' | 'strictMcpConfig' | 'plugins' | 'signal'>;

/** Where the files of the chosen layout are, for everything in `config` that reads or writes them. */
export function placeOptions({ layout = 'fittings', cwd, home }: PlacedOptions): PlaceOptions {
  return { layout: LAYOUTS[layout], cwd, home };
}

/** What the command line says about the configuration, for `loadConfig` and `watchConfig`. */
export function loadOptions(
  options: LoadServersOptions,
  approvals: Approvals,
  plugins: readonly TransportPlugin[],
): LoadOptions {
  const { env, mcpConfig = [], strictMcpConfig: strict, signal } = options;
  return { ...placeOptions(options), cli: { configs: mcpConfig, strict }, env, approvals, plugins, signal };
}

/** Reads the configuration again with what a question about an unapproved server wants to know. */
export async function loadAgain(
  options: LoadServersOptions,
  parts: Pick<Awaited<ReturnType<typeof loadServers>>, 'approvals' | 'transports'>,
  hasSignIn: NonNullable<LoadOptions['hasSignIn']>,
): Promise<LoadedConfig> {
  return loadConfig({ ...loadOptions(options, parts.approvals, parts.transports), hasSignIn });
}

/** The configuration alone: no protocol, no network, no store. For commands that only read or write files. */
export async function loadServers(options: LoadServersOptions): Promise<{
  readonly loaded: LoadedConfig;
  readonly approvals: Approvals;
  readonly transports: readonly TransportPlugin[];
  /** Third-party sign-in schemes. */
  readonly auth: readonly AuthPlugin[];
  /** The one home directory of this run: configuration, approvals, credentials and imports are below it. */
  readonly home: string;
}> {
  const home = await homeDirectory(placeOptions(options));
  const approvals = createApprovals({ store: approvalFile({ home }) });
  const others = await loadPlugins(options.plugins ?? [], options.cwd ?? process.cwd());
  const transports = [...createTransports(), ...others.transports];
  const loaded = await loadConfig(loadOptions(options, approvals, transports));
  return { loaded, approvals, transports, auth: others.auth, home };
}

/** One file in the home directory for the person's own servers and those of one project that nobody else gets. */
const HOME_FILE = '.config/mcp-fittings/servers.json';

/** The CLI's own places: a project's `.mcp.json`, as everybody has it, and one file of the person. */
const fittings = defineLayout({
  name: 'fittings',
  sources: [
    { scope: 'user', base: 'home', path: HOME_FILE, servers: [['mcpServers']] },
    { scope: 'project', base: 'project', path: '.mcp.json', servers: [['mcpServers'], []] },
    { scope: 'local', base: 'home', path: HOME_FILE, servers: [['projects', PROJECT_KEY, 'mcpServers']] },
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

/** A person waits for the prompt: a server that does not follow the end of its stdin gets SIGTERM sooner than in a host. */
const AFTER_STDIN_END_MS = 500;

/** Every transport that a configuration file can name. */
export function createTransports(): readonly TransportPlugin[] {
  const older = sse();
  return [
    stdio({ shutdown: { afterStdinEndMs: AFTER_STDIN_END_MS } }),
    http({ fallback: older }),
    older,
    ws(),
  ];
}
