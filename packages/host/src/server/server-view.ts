import { resolve } from 'node:path';
import { isRecord, type FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { digestOf } from '../catalog/digest.js';
import type { Lists } from '../catalog/server-catalog.js';
import type { ListKind, Available } from '../contracts/catalog.js';
import type { ConnectionState, ConnectionStatus, ServerSnapshot } from '../contracts/state.js';

/** What `node:util` calls to show an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * The snapshot with its entry, which may hold secrets and is therefore not enumerable: neither a log nor JSON shows it.
 * A log shows errors as one line each, without the stack that `state.error` and `lastError` have.
 */
export function toSnapshot(snapshot: Omit<ServerSnapshot, 'entry'>, entry: ServerConfig): ServerSnapshot {
  const { state, lastError } = snapshot;
  const shown = (): object => ({
    ...snapshot,
    state:
      'error' in state && state.error !== undefined ? { ...state, error: inOneLine(state.error) } : state,
    lastError: lastError && inOneLine(lastError),
    ...(isRecord(snapshot.lists) && { lists: listsShown(snapshot.lists) }),
  });
  return Object.defineProperties(
    { ...snapshot, entry },
    { entry: { enumerable: false }, [INSPECT]: { value: shown, enumerable: false } },
  );
}

function listsShown(lists: ServerSnapshot['lists']): object {
  return Object.fromEntries(
    Object.entries(lists).map(([kind, { error, skipped }]) => [
      kind,
      error === undefined && skipped.length === 0 ? 'read' : { error: error && inOneLine(error), skipped },
    ]),
  );
}

function inOneLine({ code, message }: FittingsError): string {
  return `${code}: ${message}`;
}

/**
 * Tells one server from another that has the same name: a digest of every field of the entry. The same command means
 * another program in another folder, so that the folder belongs to it.
 */
export function entryIdentity(config: ServerConfig): string {
  return digestOf(['entry', config, config['command'] === undefined ? null : folderOf(config)]);
}

function folderOf({ cwd }: ServerConfig): string {
  try {
    // Without a folder of its own it starts in the home, wherever the host runs.
    return typeof cwd === 'string' ? resolve(cwd) : '';
  } catch {
    // The current folder was deleted: no program can start in it either.
    return '';
  }
}

/** Whether a call can reach a server in this state: at once, or after a connection that the call waits for. */
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

/** Adds the state of the server to its items; the same list in the same state gives the same array again. */
export function createOffers(): <Kind extends ListKind>(
  kind: Kind,
  list: Lists[Kind],
  serverState: ConnectionStatus,
) => readonly Available<Lists[Kind][number]>[] {
  const made = new Map<
    ListKind,
    { list: unknown; serverState: ConnectionStatus; offered: readonly unknown[] }
  >();
  return <Kind extends ListKind>(kind: Kind, list: Lists[Kind], serverState: ConnectionStatus) => {
    const last = made.get(kind);
    const offered =
      last?.list === list && last.serverState === serverState
        ? last.offered
        : list.map((item) => ({ ...item, serverState }));
    made.set(kind, { list, serverState, offered });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the items of this very list
    return offered as readonly Available<Lists[Kind][number]>[];
  };
}
