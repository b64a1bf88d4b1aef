import type { ServerConfig } from '@mcp-fittings/client-core';
import { digestOf } from '../json-values.js';
import { absolutePath } from '../platform.js';
import type { Lists } from './server-catalog.js';
import type { ListKind, Available } from '../contracts/catalog.js';
import type { Host } from '../contracts/host.js';
import type { ConnectionState, ConnectionStatus, ServerSnapshot } from '../contracts/state.js';

/** Adds the entry to a snapshot. It is not enumerable, because it may hold secrets: neither a log nor JSON shows it. */
export function toSnapshot(snapshot: Omit<ServerSnapshot, 'entry'>, entry: ServerConfig): ServerSnapshot {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the entry now
  return Object.defineProperty(snapshot, 'entry', { value: entry }) as ServerSnapshot;
}

/**
 * Returns a digest of every field of the entry, which tells it from another entry of the same name. It includes the folder,
 * because the same command means another program in another folder.
 */
export function entryIdentity(config: ServerConfig): string {
  return digestOf(['entry', config, config['command'] === undefined ? null : folderOf(config)]);
}

function folderOf({ cwd }: ServerConfig): string {
  try {
    // Without `cwd` it starts in the home directory, wherever the host runs.
    return typeof cwd === 'string' ? absolutePath(cwd) : '';
  } catch {
    // The current folder was deleted, so no program can start in it either.
    return '';
  }
}

/** Returns whether a call can reach a server in this state, at once or after waiting for the connection. */
export function isCallable(state: ConnectionState): boolean {
  switch (state.status) {
    case 'connected':
    case 'connecting':
    case 'pending':
      return true;
    case 'disconnected':
      return state.reason !== 'stopped';
    case 'disconnecting':
      return state.reason === 'idle';
    default:
      return false;
  }
}

/** Adds the state of a server to its items. The array is the same one for the same list and state. */
export class Availability {
  readonly #last = new Map<
    ListKind,
    { readonly list: unknown; readonly serverState: ConnectionStatus; readonly items: readonly unknown[] }
  >();

  add<Kind extends ListKind>(
    kind: Kind,
    list: Lists[Kind],
    serverState: ConnectionStatus,
  ): readonly Available<Lists[Kind][number]>[] {
    const previous = this.#last.get(kind);
    const items =
      previous?.list === list && previous.serverState === serverState
        ? previous.items
        : list.map((item) => ({ ...item, serverState }));
    this.#last.set(kind, { list, serverState, items });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- created from the items of this list
    return items as readonly Available<Lists[Kind][number]>[];
  }
}

/** Returns totals over all servers. */
export function statisticsOf(servers: readonly ServerSnapshot[]): ReturnType<Host['statistics']> {
  const byStatus: Partial<Record<ConnectionStatus, number>> = {};
  for (const { state } of servers) byStatus[state.status] = (byStatus[state.status] ?? 0) + 1;
  return {
    servers: servers.length,
    connected: byStatus.connected ?? 0,
    errored: (byStatus.failed ?? 0) + (byStatus['needs-auth'] ?? 0),
    tools: servers.reduce((sum, { counts }) => sum + counts.tools, 0),
    byStatus,
  };
}
