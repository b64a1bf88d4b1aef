import type { Clock, Logger } from '@mcp-fittings/client-core';
import { canonicalJson, hashText } from '@mcp-fittings/toolbox/text';
import { createStdioTransport, type StdioTransport } from '@mcp-fittings/transport-stdio';
import type { SharedLaunch } from '../wire/protocol.js';
import { createSharedServer, type SharedServer } from './shared-server.js';

/** The kind of session of programs of revision 2026-07-28, and of those that have not begun one yet. */
export const STATELESS = 'stateless';

/** A process of a server, and the kind of session that programs have with it. */
export interface PooledServer {
  readonly server: SharedServer;
  readonly transport: Pick<StdioTransport, 'describe' | 'pid'>;
  session: string;
}

export interface ServerPoolOptions {
  readonly clock: Clock;
  /** Milliseconds after which a server that no program uses is ended. */
  readonly idleMs: number;
  readonly logger?: Logger | undefined;
}

/** All servers of a shared process. */
export class ServerPool {
  readonly #options: ServerPoolOptions;
  readonly #groups = new Map<string, ServerGroup>();
  readonly #running = new Set<PooledServer>();

  constructor(options: ServerPoolOptions) {
    this.#options = options;
  }

  /** Returns the processes of everything that would start this server in the same way. */
  group(launch: SharedLaunch, name: string | undefined): ServerGroup {
    // Everything that decides how a server behaves for a program. A digest, because the environment may contain secrets.
    const identity = hashText(canonicalJson(launch));
    const onEmpty = (): void => {
      if (this.#groups.get(identity) === group) this.#groups.delete(identity);
    };
    const group =
      this.#groups.get(identity) ??
      new ServerGroup({ ...this.#options, launch, name, running: this.#running, onEmpty });
    this.#groups.set(identity, group);
    return group;
  }

  /** Number of processes. */
  get size(): number {
    return this.#running.size;
  }

  /** Number of requests that servers have not answered. */
  get inFlight(): number {
    return [...this.#running].reduce((sum, { server }) => sum + server.inFlight, 0);
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map(({ server }) => server.close()));
  }
}

interface ServerGroupOptions extends ServerPoolOptions {
  readonly launch: SharedLaunch;
  readonly name: string | undefined;
  /** The processes of all groups. */
  readonly running: Set<PooledServer>;
  readonly onEmpty: () => void;
}

/** The processes of one server, one for each kind of session. */
class ServerGroup {
  /** Error with which the server has refused `server/discover`; undefined as long as it has not. */
  undiscoverable: { readonly code: number; readonly message: string } | undefined;
  readonly #options: ServerGroupOptions;
  readonly #servers = new Map<string, PooledServer>();

  constructor(options: ServerGroupOptions) {
    this.#options = options;
  }

  /** True if a process runs, for any kind of session. */
  get isRunning(): boolean {
    return this.#servers.size > 0;
  }

  /** Returns the process for this kind of session, and starts it if it does not run. */
  open(session: string): PooledServer {
    const found = this.#servers.get(session);
    if (found !== undefined) return found;
    const probed = this.#servers.get(STATELESS);
    const pooled = probed?.server.isUntouched === true ? probed : this.#start(session);
    this.#servers.delete(pooled.session);
    pooled.session = session;
    this.#servers.set(session, pooled);
    return pooled;
  }

  #start(session: string): PooledServer {
    const { launch, name, clock, idleMs, logger, running, onEmpty } = this.#options;
    const servers = this.#servers;
    const transport = createStdioTransport({
      ...launch,
      inheritEnv: 'all',
      server: name,
      clock,
      stderr: (line) => {
        for (const member of server.members) member.stderr(line);
      },
    });
    const server = createSharedServer({
      transport,
      logger,
      clock,
      // A process that was only asked of which era it is has no state worth keeping.
      idleMs: () => (pooled.session === STATELESS && server.isUntouched && servers.size > 1 ? 0 : idleMs),
      onEnd() {
        if (!running.delete(pooled)) return;
        logger?.info('A server has ended.', { server: name, pid: transport.describe()['pid'] });
        if (servers.get(pooled.session) === pooled) servers.delete(pooled.session);
        if (servers.size === 0) onEmpty();
      },
      onUndiscoverable: (error) => {
        this.undiscoverable = error;
      },
    });
    const pooled: PooledServer = { server, transport, session };
    running.add(pooled);
    server.started.then(
      () => logger?.info('A server has started.', { server: name, pid: transport.pid ?? undefined }),
      (error: unknown) =>
        logger?.warn('A server could not be started.', { server: name, error: String(error) }),
    );
    return pooled;
  }
}
