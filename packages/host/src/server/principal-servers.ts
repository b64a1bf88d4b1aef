import { FittingsError } from '@mcp-fittings/client-core';
import type { HostDeps } from '../setup/server-deps.js';
import { disabledError, stoppedError } from '../connection/supervisor.js';
import { createServer } from './create-server.js';
import type { ServerConnection } from './server-connection.js';

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

/**
 * The connections that a host makes for the principals that calls name. Each has its own credentials, lists and server process, so that
 * nothing has to be told apart within a connection. They are bounded in number, and closed and forgotten when they are unused.
 */
export class PrincipalServers {
  readonly #deps: HostDeps;
  readonly #kept = new Map<string, Map<string, Kept>>();
  /** All of them, the one that was unused for longest first. */
  readonly #order = new Set<Kept>();
  readonly #stopped = new Set<string>();

  constructor(deps: HostDeps) {
    this.#deps = deps;
  }

  /**
   * Runs `work` with the connection of this principal, which is kept until `work` has settled. Rejects with `CONNECT_FAILED` if
   * `limits.principals` connections are in use, and with the error of a server that is stopped or disabled.
   */
  async use<T>(
    name: string,
    base: ServerConnection,
    principal: string,
    work: (server: ServerConnection) => Promise<T>,
  ): Promise<T> {
    const { clock, limits } = this.#deps;
    if (base.supervisor.isDisabled) throw disabledError(name);
    if (this.#stopped.has(name)) throw stoppedError(name);
    const kept = this.#kept.get(principal)?.get(name) ?? this.#keep(name, base, principal);
    kept.timer?.[Symbol.dispose]();
    this.#order.delete(kept);
    this.#order.add(kept);
    kept.active++;
    try {
      await kept.ready;
      return await work(kept.server);
    } finally {
      kept.active--;
      if (this.#order.has(kept) && isUnused(kept))
        kept.timer = clock.schedule(() => void this.#forget(kept), limits.principalIdleMs, { unref: true });
    }
  }

  /** Returns the connection of this principal, if there is one. */
  find(name: string, principal: string): ServerConnection | undefined {
    return this.#kept.get(principal)?.get(name)?.server;
  }

  /** Returns the connections of all principals. */
  all(): readonly ServerConnection[] {
    return Array.from(this.#order, ({ server }) => server);
  }

  /** Closes and forgets the connection of one principal. */
  async drop(name: string, principal: string): Promise<void> {
    const kept = this.#kept.get(principal)?.get(name);
    if (kept !== undefined) await this.#forget(kept);
  }

  /** Closes and forgets the connections of all principals to this server. */
  async dropAll(name: string): Promise<void> {
    const all = [...this.#order].filter((kept) => kept.name === name);
    await Promise.all(all.map((kept) => this.#forget(kept)));
  }

  /** Does the same, and refuses new ones until {@link allow}. */
  async stop(name: string): Promise<void> {
    this.#stopped.add(name);
    await this.dropAll(name);
  }

  allow(name: string): void {
    this.#stopped.delete(name);
  }

  async dispose(): Promise<void> {
    await Promise.all(Array.from(this.#order, (kept) => this.#forget(kept)));
  }

  #keep(name: string, base: ServerConnection, principal: string): Kept {
    const room = this.#makeRoom(name);
    const server = createServer(name, base.config, this.#deps, principal);
    const prepare = async (): Promise<void> => {
      // A process of another principal has ended before the next one starts.
      await room;
      await server.restoreLists();
    };
    const kept: Kept = { name, principal, server, ready: prepare(), active: 0 };
    const own = this.#kept.get(principal) ?? new Map<string, Kept>();
    this.#kept.set(principal, own.set(name, kept));
    return kept;
  }

  /** Makes room for one more. */
  #makeRoom(name: string): Promise<void> | undefined {
    const { limits } = this.#deps;
    if (this.#order.size < limits.principals) return undefined;
    for (const kept of this.#order) if (isUnused(kept)) return this.#forget(kept);
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
  }

  async #forget(kept: Kept): Promise<void> {
    kept.timer?.[Symbol.dispose]();
    this.#order.delete(kept);
    const own = this.#kept.get(kept.principal);
    if (own?.get(kept.name) === kept) own.delete(kept.name);
    if (own?.size === 0) this.#kept.delete(kept.principal);
    await kept.server.dispose();
  }
}

function isUnused({ active, server }: Kept): boolean {
  return active === 0 && !server.subscriptions.any;
}
