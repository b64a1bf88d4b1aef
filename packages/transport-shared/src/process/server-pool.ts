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
  readonly session: string;
}

/** The processes of one server, one for each kind of session. */
export interface ServerGroup {
  /** True if a process runs, for any kind of session. */
  readonly isRunning: boolean;
  /** Error with which the server has refused `server/discover`; undefined as long as it has not. */
  readonly undiscoverable: { readonly code: number; readonly message: string } | undefined;
  /** Returns the process for this kind of session, and starts it if it does not run. */
  open(session: string): PooledServer;
}

/** All servers of a shared process. */
export interface ServerPool {
  /** Returns the processes of everything that would start this server in the same way. */
  group(launch: SharedLaunch, name: string | undefined): ServerGroup;
  /** Number of processes. */
  readonly size: number;
  /** Number of requests that servers have not answered. */
  readonly inFlight: number;
  /** Ends all of them. */
  close(): Promise<void>;
}

export interface ServerPoolOptions {
  readonly clock: Clock;
  /** Milliseconds after which a server that no program uses is ended. */
  readonly idleMs: number;
  readonly logger?: Logger | undefined;
}

interface MutablePooledServer extends PooledServer {
  session: string;
}

export function createServerPool({ clock, idleMs, logger }: ServerPoolOptions): ServerPool {
  const groups = new Map<string, ServerGroup>();
  const running = new Set<MutablePooledServer>();

  const start = (
    launch: SharedLaunch,
    name: string | undefined,
    session: string,
    group: {
      readonly servers: Map<string, MutablePooledServer>;
      undiscoverable: ServerGroup['undiscoverable'];
    },
    onEmpty: () => void,
  ): MutablePooledServer => {
    const transport = createStdioTransport({
      ...launch,
      inheritEnv: 'all',
      server: name,
      clock,
      stderr: (line) => {
        for (const member of pooled.server.members) member.stderr(line);
      },
    });
    const server = createSharedServer({
      transport,
      logger,
      clock,
      // A process that was only asked of which era it is has no state worth keeping.
      idleMs: () =>
        pooled.session === STATELESS && server.isUntouched && group.servers.size > 1 ? 0 : idleMs,
      onEnd() {
        if (!running.delete(pooled)) return;
        logger?.info('A server has ended.', { server: name, pid: transport.describe()['pid'] });
        if (group.servers.get(pooled.session) === pooled) group.servers.delete(pooled.session);
        if (group.servers.size === 0) onEmpty();
      },
      onUndiscoverable(error) {
        group.undiscoverable = error;
      },
    });
    const pooled: MutablePooledServer = { server, transport, session };
    running.add(pooled);
    server.started.then(
      () => logger?.info('A server has started.', { server: name, pid: transport.pid ?? undefined }),
      (error: unknown) =>
        logger?.warn('A server could not be started.', { server: name, error: String(error) }),
    );
    return pooled;
  };

  const createGroup = (identity: string, launch: SharedLaunch, name: string | undefined): ServerGroup => {
    const servers = new Map<string, MutablePooledServer>();
    const own = { servers, undiscoverable: undefined as ServerGroup['undiscoverable'] };
    const onEmpty = (): void => {
      if (groups.get(identity) === group) groups.delete(identity);
    };
    const group: ServerGroup = {
      get isRunning() {
        return servers.size > 0;
      },
      get undiscoverable() {
        return own.undiscoverable;
      },
      open(session) {
        const found = servers.get(session);
        if (found !== undefined) return found;
        const probed = servers.get(STATELESS);
        const isFree = probed?.server.isUntouched === true;
        const pooled = probed !== undefined && isFree ? probed : start(launch, name, session, own, onEmpty);
        servers.delete(pooled.session);
        pooled.session = session;
        servers.set(session, pooled);
        return pooled;
      },
    };
    return group;
  };

  return {
    group(launch, name) {
      const identity = identify(launch);
      const group = groups.get(identity) ?? createGroup(identity, launch, name);
      groups.set(identity, group);
      return group;
    },
    get size() {
      return running.size;
    },
    get inFlight() {
      return [...running].reduce((sum, { server }) => sum + server.inFlight, 0);
    },
    async close() {
      await Promise.all([...running].map(({ server }) => server.close()));
    },
  };
}

/** Everything that decides how a server behaves for a program. A digest, because the environment may contain secrets. */
function identify(launch: SharedLaunch): string {
  return hashText(canonicalJson(launch));
}
