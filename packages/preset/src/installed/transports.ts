import type { TransportPlugin } from '@mcp-fittings/client-core';
import type { StdioPluginOptions } from '@mcp-fittings/transport-stdio';
import type { DesktopEnvironment } from '@mcp-fittings/transport-stdio/desktop';

interface InstalledOptions {
  /** Transports of the program. One with the same type replaces the installed one. Default: none. */
  readonly own?: readonly TransportPlugin[] | undefined;
  /** Names of those to leave out. Default: none. */
  readonly without?: readonly string[] | undefined;
  /** The home directory, with the startup files of the login shell. */
  readonly home: string;
  /** Options of the installed transport of local servers. */
  readonly stdio?: StdioPluginOptions | undefined;
}

/** All transports that a configuration file can name. Each is imported when an entry of its type is read or connected. */
export class InstalledTransports {
  /** The transports, for a host. */
  readonly plugins: readonly TransportPlugin[];
  readonly #imports: ReadonlyMap<TransportPlugin, () => Promise<TransportPlugin>>;
  #project: string | undefined;
  #searchPath: DesktopEnvironment['source'] | undefined;

  constructor({ own = [], without = [], home, stdio: stdioOptions }: InstalledOptions) {
    const imports = new Map<TransportPlugin, () => Promise<TransportPlugin>>();
    const install = (
      type: string,
      aliases: readonly string[],
      load: () => Promise<TransportPlugin>,
      fallback?: TransportPlugin,
    ): void => {
      if (without.includes(type) || own.some((plugin) => plugin.type === type)) return;
      const once = importOnce(load);
      imports.set(placeholder({ type, aliases, fallback }, once), once);
    };
    install('sse', ['sse-ide'], async () => (await import('@mcp-fittings/transport-sse')).sse());
    const fallback = [...own, ...imports.keys()].find(({ type }) => type === 'sse');
    const httpAliases = ['streamable-http', 'streamableHttp'];
    const loadHttp = async () => (await import('@mcp-fittings/transport-http')).http({ fallback });
    install('http', httpAliases, loadHttp, fallback);
    install('ws', ['websocket', 'ws-ide'], async () => (await import('@mcp-fittings/transport-ws')).ws());
    install('stdio', [], async () => {
      const [{ stdio }, { desktopEnvironment }] = await Promise.all([
        import('@mcp-fittings/transport-stdio'),
        import('@mcp-fittings/transport-stdio/desktop'),
      ]);
      const desktop = await desktopEnvironment({ home, project: this.#project });
      this.#searchPath = desktop?.source;
      return stdio({ ...stdioOptions, parentEnv: desktop?.env });
    });
    this.#imports = imports;
    this.plugins = [...own, ...imports.keys()];
  }

  /** Source of the PATH of local servers, if it is not that of this program. */
  get searchPath(): DesktopEnvironment['source'] | undefined {
    return this.#searchPath;
  }

  /**
   * Imports the transports of these types, or all, and returns {@link plugins} with the schemas of those. Local servers do not find programs
   * in the project whose root was given first.
   */
  async load(types?: ReadonlySet<string>, projectRoot?: string): Promise<readonly TransportPlugin[]> {
    this.#project ??= projectRoot;
    return Promise.all(
      this.plugins.map(async (plugin) => {
        const isWanted = [plugin.type, ...(plugin.aliases ?? [])].some((type) => types?.has(type) ?? true);
        return (isWanted ? await this.#imports.get(plugin)?.() : undefined) ?? plugin;
      }),
    );
  }
}

/** Returns a plugin that imports another one to validate an entry, which precedes every other use of it. */
function placeholder(
  names: Pick<TransportPlugin, 'type' | 'aliases' | 'fallback'>,
  load: () => Promise<TransportPlugin>,
): TransportPlugin {
  let loaded: TransportPlugin | undefined;
  return {
    specVersion: 1,
    ...names,
    schema: {
      '~standard': {
        version: 1,
        vendor: 'mcp-fittings',
        async validate(entry) {
          loaded = await load();
          return loaded.schema['~standard'].validate(entry);
        },
      },
    },
    create(entry, deps) {
      if (loaded === undefined) throw new TypeError(`The entry of "${deps.server}" was not validated.`);
      return loaded.create(entry, deps);
    },
  };
}

function importOnce(load: () => Promise<TransportPlugin>): () => Promise<TransportPlugin> {
  let loading: Promise<TransportPlugin> | undefined;
  return () => (loading ??= load());
}
