import { type ConfigWatcher, type LoadedConfig, type LoadedServer, watchConfig } from '@mcp-fittings/config';
import type { Host } from '@mcp-fittings/host';
import type { Tools } from '@mcp-fittings/tools';
import { forgetInputs } from './configuration/input-values.js';
import { type LoadedServers, loadServers } from './configuration/load-servers.js';
import { type ConfiguredHost, createConfiguredHost } from './configured-host.js';
import { checkOpenHostOptions, type OpenHostOptions } from './options.js';
import { type HostProblem, configProblems, errorProblem, serverProblems } from './problems.js';

/** A host that is connected to the servers of its configuration: the result of {@link openHost}. */
export interface OpenedHost extends AsyncDisposable {
  /** The host: its servers and their states, calls, events. */
  readonly host: Host;
  /** Problems of files and servers at this moment. Show them to the user. */
  readonly problems: readonly HostProblem[];
  /**
   * Resolves to the tools of all servers for a model, with the permissions of their entries and `confirm`; denied tools are left out.
   * They are created at the first call.
   */
  tools(): Promise<Tools>;
  /**
   * Signs in to a server with the help of the user, and connects it. Rejects as `signIn` of the host does.
   *
   * @param server Name of the server. Default: all that wait for a sign-in, one after the other.
   */
  signIn(server?: string): Promise<void>;
  /**
   * Stops a server, signs out of it, and forgets the values of its inputs, which are asked for when the host is opened next. Rejects as
   * `signOut` of the host does.
   *
   * @param server Name of the server.
   */
  signOut(server: string): Promise<void>;
  /** Closes all connections and the credential store. Disposing of this object does the same. */
  close(): Promise<void>;
}

/**
 * Opens a host as most programs need it: reads the configuration files of the user and the project, asks for approval, installs all
 * transports and sign-in schemes, keeps credentials in the keychain, and connects. Resolves when each server is connected or has failed
 * for the first time. Mistakes in files and servers that fail do not reject; they are `problems`. Rejects with `CONFIG_INVALID` for an
 * invalid option and if `cwd` does not exist, and with `ABORTED`.
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
  checkOpenHostOptions(options);
  const servers = await loadServers(options);
  const current = new CurrentConfig(servers.loaded, options.onProblem);
  const configured = await createConfiguredHost(servers, options, {
    current: () => current.config,
    onStoreUnavailable: (error) => current.report(errorProblem(error)),
  });
  try {
    const watcher = await connect(servers, configured.host, current, options);
    return new ConnectedHost(options, configured, current, watcher);
  } catch (error) {
    await configured.close();
    throw error;
  }
}

/** Connects the servers of the configuration, and follows its files if the program wants that. */
async function connect(
  { loaded, options }: LoadedServers,
  host: Host,
  current: CurrentConfig,
  { follow, clock }: OpenHostOptions,
): Promise<ConfigWatcher | undefined> {
  if (follow !== true) {
    await host.connect(loaded.servers);
    return undefined;
  }
  return watchConfig({
    ...options,
    clock,
    host,
    onChange: (_changes, config) => current.update(config),
    onError: ({ message }) =>
      current.report({
        text: `error: A change of the configuration could not be applied: ${message}`,
        code: 'FILE_UNREADABLE',
        severity: 'error',
      }),
  });
}

/** The configuration as it is now, and what is wrong with it. */
class CurrentConfig {
  /** Permissions of the entries. A policy reads them for each verdict, so what a file denies meanwhile holds at once. */
  readonly permissions: Record<string, LoadedServer> = {};
  /** Problems of other parts, such as the credential store. */
  readonly #others: HostProblem[] = [];
  readonly #onProblem: OpenHostOptions['onProblem'];
  #config: LoadedConfig;

  constructor(config: LoadedConfig, onProblem: OpenHostOptions['onProblem']) {
    this.#config = config;
    this.#onProblem = onProblem;
    Object.assign(this.permissions, config.servers);
  }

  get config(): LoadedConfig {
    return this.#config;
  }

  get problems(): readonly HostProblem[] {
    return [...configProblems(this.#config.problems), ...this.#others];
  }

  update(config: LoadedConfig): void {
    const known = new Set(this.problems.map(({ text }) => text));
    this.#config = config;
    for (const name of Object.keys(this.permissions)) delete this.permissions[name];
    Object.assign(this.permissions, config.servers);
    for (const problem of this.problems) if (!known.has(problem.text)) this.#onProblem?.(problem);
  }

  report(problem: HostProblem): void {
    this.#others.push(problem);
    this.#onProblem?.(problem);
  }
}

class ConnectedHost implements OpenedHost {
  readonly host: Host;
  readonly #options: OpenHostOptions;
  readonly #configured: ConfiguredHost;
  readonly #current: CurrentConfig;
  readonly #watcher: ConfigWatcher | undefined;
  #tools: Promise<Tools> | undefined;

  constructor(
    options: OpenHostOptions,
    configured: ConfiguredHost,
    current: CurrentConfig,
    watcher: ConfigWatcher | undefined,
  ) {
    this.host = configured.host;
    this.#options = options;
    this.#configured = configured;
    this.#current = current;
    this.#watcher = watcher;
  }

  get problems(): readonly HostProblem[] {
    return [...this.#current.problems, ...serverProblems(this.host)];
  }

  async tools(): Promise<Tools> {
    this.#tools ??= this.#createTools();
    return this.#tools;
  }

  async #createTools(): Promise<Tools> {
    const { createToolPolicy, createTools } = await import('@mcp-fittings/tools');
    const { confirm, tools } = this.#options;
    const policy = createToolPolicy({ servers: this.#current.permissions });
    return createTools(this.host, { policy, skipDenied: true, ...tools, confirm });
  }

  async signIn(server?: string): Promise<void> {
    const { host } = this;
    const waiting = host.servers().filter(({ state }) => state.status === 'needs-auth');
    for (const name of server === undefined ? waiting.map((each) => each.name) : [server])
      await host.signIn(name);
  }

  async signOut(server: string): Promise<void> {
    await forgetInputs(this.#configured.store, this.#current.config, server);
    await this.host.signOut(server);
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
    // Tools that could not be created leave a host to close.
    const tools = await this.#tools?.catch(() => undefined);
    await tools?.close();
    await this.#configured.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
