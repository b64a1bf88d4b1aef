import type { Host } from '@mcp-fittings/host';
import type { LoadedConfig } from '@mcp-fittings/config';
import type { Tools } from '@mcp-fittings/tools';
import { loadServers } from './configuration/load-servers.js';
import { type ConfiguredHost, createConfiguredHost } from './configured-host.js';
import type { OpenHostOptions } from './options.js';
import { type HostProblem, configProblems, errorProblem, serverProblems } from './problems.js';

/** A host that is connected to the servers of its configuration: the result of {@link openHost}. */
export interface OpenedHost extends AsyncDisposable {
  /** The host: its servers and their states, calls, events. */
  readonly host: Host;
  /** What is wrong now with files and servers. Show it to the user. */
  readonly problems: readonly HostProblem[];
  /**
   * Resolves to the tools of all servers for a model, with the permissions of their entries and `confirm`; denied tools are left out.
   * They are created at the first call.
   */
  tools(): Promise<Tools>;
  /**
   * Signs in to a server with the help of the user, and connects it.
   *
   * @param server Name of the server. Default: all that wait for a sign-in, one after the other.
   */
  signIn(server?: string): Promise<void>;
  /** Closes all connections and the credential store. Disposing of this object does the same. */
  close(): Promise<void>;
}

/**
 * Opens a host as most programs need it: reads the configuration files of the user and the project, asks for approval, installs all
 * transports and sign-in schemes, keeps credentials in the keychain, and connects. Resolves when each server is connected or has failed
 * for the first time. Mistakes in files and servers that fail do not reject; they are `problems`. Rejects with `CONFIG_INVALID` if
 * `cwd` does not exist, and with `ABORTED`.
 *
 * @example
 * ```ts
 * const app = await openHost({ name: 'my-agent', version: '1.0.0' });
 * for (const { text } of app.problems) console.error(text);
 * const tools = await app.tools();
 * console.log(tools.snapshot().tools.map(({ name }) => name));
 * await app.close();
 * ```
 */
export async function openHost(options: OpenHostOptions): Promise<OpenedHost> {
  const servers = await loadServers(options);
  const storeProblems: HostProblem[] = [];
  const configured = await createConfiguredHost(servers, options, {
    onStoreUnavailable: (error) => storeProblems.push(errorProblem(error)),
  });
  await configured.host.connect(servers.loaded.servers);
  return new ConnectedHost(options, configured, servers.loaded, storeProblems);
}

class ConnectedHost implements OpenedHost {
  readonly host: Host;
  readonly #options: OpenHostOptions;
  readonly #configured: ConfiguredHost;
  readonly #config: LoadedConfig;
  readonly #storeProblems: readonly HostProblem[];
  #tools: Promise<Tools> | undefined;

  constructor(
    options: OpenHostOptions,
    configured: ConfiguredHost,
    config: LoadedConfig,
    storeProblems: readonly HostProblem[],
  ) {
    this.host = configured.host;
    this.#options = options;
    this.#configured = configured;
    this.#config = config;
    this.#storeProblems = storeProblems;
  }

  get problems(): readonly HostProblem[] {
    return [...configProblems(this.#config.problems), ...this.#storeProblems, ...serverProblems(this.host)];
  }

  async tools(): Promise<Tools> {
    this.#tools ??= this.#createTools();
    return this.#tools;
  }

  async #createTools(): Promise<Tools> {
    const { createToolPolicy, createTools } = await import('@mcp-fittings/tools');
    const { confirm, tools } = this.#options;
    const policy = createToolPolicy({ servers: this.#config.servers });
    return createTools(this.host, { policy, skipDenied: true, ...tools, confirm });
  }

  async signIn(server?: string): Promise<void> {
    const { host } = this;
    const waiting = host.servers().filter(({ state }) => state.status === 'needs-auth');
    for (const name of server === undefined ? waiting.map((each) => each.name) : [server])
      await host.signIn(name);
  }

  async close(): Promise<void> {
    await (await this.#tools)?.close();
    await this.#configured.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
