import { isRecord, type FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import type { ServerSnapshot } from '../contracts/state.js';

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
    Object.entries(lists).map(([kind, { error, leftOut }]) => [
      kind,
      error === undefined && leftOut.length === 0 ? 'read' : { error: error && inOneLine(error), leftOut },
    ]),
  );
}

function inOneLine({ code, message }: FittingsError): string {
  return `${code}: ${message}`;
}
