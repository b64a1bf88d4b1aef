import { join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import type { FileRecords } from '@mcp-fittings/store-file';
import { ownFolder } from '@mcp-fittings/toolbox/files';
import type { PinnedServer, ToolPins, ToolPinStore } from '@mcp-fittings/tools/pins';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import type { CommandSession } from './open-session.js';
import { findEntry } from './resolve-server.js';

/** The pins of the user, in all projects. */
export interface UserPins {
  readonly pins: ToolPins;
  /** Undefined if there is no place to keep them. */
  readonly store: FileRecords | undefined;
  /** Returns a server of the session as its pins are kept, with what it lists now. */
  readonly server: (name: string) => PinnedServer;
}

/** Loads what {@link openPins} needs. */
export async function loadPins() {
  const [{ createToolPins, memoryPinStore }, { fileRecords }] = await Promise.all([
    import('@mcp-fittings/tools/pins'),
    import('@mcp-fittings/store-file'),
  ]);
  return { createToolPins, memoryPinStore, fileRecords };
}

/**
 * Opens the pins. They belong to the identity of an entry as the configuration knows it, which does not depend on the values of
 * variables: a renewed token is not another server.
 */
export async function openPins(deps: CommandDeps, session: CommandSession): Promise<UserPins> {
  const { createToolPins, memoryPinStore } = await loadPins();
  const store = await openStore(deps, session);
  const memory = memoryPinStore();
  const kept: ToolPinStore =
    store === undefined
      ? memory
      : {
          read: (key) => store.read(key) ?? memory.read(key),
          remove: (key) => store.remove(key),
          async change(key, edit) {
            try {
              await store.change(key, edit);
            } catch (error) {
              // On a read-only disk, a server without pins is as unknown as before.
              if (!isUnavailable(error) || store.read(key) !== undefined) throw error;
              noteNotKept(deps, error);
              await memory.change(key, edit);
            }
          },
        };
  const identify = (name: string): string | undefined => findEntry(session.loaded, name)?.identity;
  const pins = createToolPins({ store: kept, onChange: 'block', identify, clock: deps.clock });
  return {
    pins,
    store,
    server(name) {
      const { host } = session;
      const state = host.servers().find((each) => each.name === name)?.state;
      const connection = state?.status === 'connected' ? state.connection : undefined;
      return {
        name,
        tools: host.tools().filter(({ server }) => server === name),
        ...(connection !== undefined && { instructions: connection.instructions ?? null }),
      };
    },
  };
}

/** Creates the error for a tool that changed since the user first used its server. */
export function notAccepted(
  { server, name }: { readonly server: string; readonly name: string },
  { message, details }: Pick<FittingsError, 'message' | 'details'>,
  cause?: FittingsError,
): FittingsError {
  const target = `${printable(server)} ${printable(name)}`;
  return new CommandError('APPROVAL_REQUIRED', message, {
    server,
    cause,
    delivery: 'not-sent',
    details,
    hint: `Review it: fittings pins show ${target}. If you agree: fittings pins accept ${target}`,
  });
}

/** Returns why tools of a server must not be called, by name. Throws the error of the store of the pins. */
export function waitingTools(
  { pins }: Pick<UserPins, 'pins'>,
  server: PinnedServer,
): ReadonlyMap<string, FittingsError> {
  const { waiting } = pins.review(server);
  return new Map(
    Array.from(waiting, ([name, change]) => [
      name,
      notAccepted(
        { server: server.name, name },
        { message: pins.summarize(change), details: { pin: change.kind } },
      ),
    ]),
  );
}

async function openStore(deps: CommandDeps, { home }: CommandSession): Promise<FileRecords | undefined> {
  const { fileRecords } = await loadPins();
  try {
    return await fileRecords({ path: join(ownFolder('state', home), 'pins'), clock: deps.clock });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    noteNotKept(deps, error);
    return undefined;
  }
}

const isUnavailable = (error: unknown): error is FittingsError =>
  error instanceof FittingsError && error.code === 'STORE_UNAVAILABLE';

function noteNotKept({ output }: CommandDeps, { message }: FittingsError): void {
  output.note(
    output.noteStyle.dim(`Cannot tell whether tools change from run to run. ${printable(message)}`),
  );
}
