import { FittingsError } from '@mcp-fittings/client-core';
import type { HostDeps } from '../setup/server-deps.js';
import { createServer } from './create-server.js';
import type { ServerConnection } from './server-connection.js';

/** The server of a host, apart from the connections of people. */
export interface BaseServer {
  readonly name: string;
  readonly server: ServerConnection;
}

/**
 * The connections that a host makes for a person named by a call. Each has its own credentials, lists and server process, so that
 * nothing has to be told apart within a connection. They are bounded in number, and closed and forgotten when they are unused.
 */
export interface PrincipalServers {
  /**
   * Runs `work` with the connection of this person, which is kept meanwhile. Rejects with `CONNECT_FAILED` if
   * `limits.principals` connections are in use, and with the error of a server that is stopped or disabled.
   */
  use<T>(base: BaseServer, principal: string, work: (server: ServerConnection) => Promise<T>): Promise<T>;
  /** Returns the connection of this person, if there is one. */
  find(name: string, principal: string): ServerConnection | undefined;
  /** Returns the connections of all people. */
  all(): readonly ServerConnection[];
  /** Closes and forgets the connection of one person. */
  drop(name: string, principal: string): Promise<void>;
  /** Closes and forgets the connections of all people to this server. */
  dropAll(name: string): Promise<void>;
  /** Does the same, and refuses new ones until {@link allow}. */
  stop(name: string): Promise<void>;
  allow(name: string): void;
  dispose(): Promise<void>;
}

interface Kept {
  readonly name: string;
  readonly principal: string;
  readonly server: ServerConnection;
  /** Resolves when the connection may be used. */
  readonly ready: Promise<void>;
  /** Number of uses that have not ended. */
  active: number;
  timer?: Disposable | undefined;
}

export function createPrincipalServers(deps: HostDeps): PrincipalServers {
  const { clock, limits } = deps;
  const people = new Map<string, Map<string, Kept>>();
  /** All of them, the one that was unused for longest first. */
  const order = new Set<Kept>();
  const stopped = new Set<string>();

  const forget = async (kept: Kept): Promise<void> => {
    kept.timer?.[Symbol.dispose]();
    order.delete(kept);
    const own = people.get(kept.principal);
    if (own?.get(kept.name) === kept) own.delete(kept.name);
    if (own?.size === 0) people.delete(kept.principal);
    await kept.server.dispose();
  };
  const isUnused = ({ active, server }: Kept): boolean => active === 0 && !server.isSubscribed;

  /** Makes room for one more. */
  const makeRoom = (name: string): Promise<void> | undefined => {
    if (order.size < limits.principals) return undefined;
    for (const kept of order) if (isUnused(kept)) return forget(kept);
    throw new FittingsError(
      'CONNECT_FAILED',
      `The host has ${limits.principals} connections for people, and all of them are in use.`,
      {
        server: name,
        delivery: 'not-sent',
        hint: 'Retry later, or increase limits.principals.',
        details: { limit: limits.principals },
      },
    );
  };

  const keep = ({ name, server: { config } }: BaseServer, principal: string): Kept => {
    const room = makeRoom(name);
    const server = createServer(name, config, deps, principal);
    const prepare = async (): Promise<void> => {
      // A process of another person has ended before the next one starts.
      await room;
      await server.restoreLists();
    };
    const kept: Kept = { name, principal, server, ready: prepare(), active: 0 };
    const own = people.get(principal) ?? new Map<string, Kept>();
    people.set(principal, own.set(name, kept));
    return kept;
  };

  const find = (name: string, principal: string): Kept | undefined => people.get(principal)?.get(name);
  const dropAll = async (name: string): Promise<void> => {
    const all = [...order].filter((kept) => kept.name === name);
    await Promise.all(all.map(forget));
  };

  return {
    async use(base, principal, work) {
      const { name } = base;
      checkMayConnect(base, stopped);
      const kept = find(name, principal) ?? keep(base, principal);
      kept.timer?.[Symbol.dispose]();
      order.delete(kept);
      order.add(kept);
      kept.active++;
      try {
        await kept.ready;
        return await work(kept.server);
      } finally {
        kept.active--;
        if (order.has(kept) && isUnused(kept)) {
          kept.timer = clock.schedule(() => void forget(kept), limits.principalIdleMs, { unref: true });
        }
      }
    },
    find: (name, principal) => find(name, principal)?.server,
    all: () => Array.from(order, ({ server }) => server),
    async drop(name, principal) {
      const kept = find(name, principal);
      if (kept !== undefined) await forget(kept);
    },
    dropAll,
    async stop(name) {
      stopped.add(name);
      await dropAll(name);
    },
    allow: (name) => void stopped.delete(name),
    async dispose() {
      await Promise.all(Array.from(order, forget));
    },
  };
}

function checkMayConnect({ name, server }: BaseServer, stopped: ReadonlySet<string>): void {
  if (server.snapshot().state.status === 'disabled') {
    throw new FittingsError('SERVER_DISABLED', `The server "${name}" is disabled.`, {
      server: name,
      delivery: 'not-sent',
      hint: 'Enable it in its configuration, or with host.enable().',
    });
  }
  if (!stopped.has(name)) return;
  throw new FittingsError('TRANSPORT_CLOSED', `The server "${name}" was stopped.`, {
    server: name,
    delivery: 'not-sent',
  });
}
