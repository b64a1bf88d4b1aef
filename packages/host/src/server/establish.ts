import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import type { Connection } from '../connection/connect-once.js';
import type { ProtocolEra } from '../contracts/engine.js';
import type { ConnectPhase } from '../contracts/state.js';
import type { ServerCache } from './server-cache.js';

export interface EstablishDeps {
  readonly cache: Pick<ServerCache, 'era' | 'rememberEra'>;
  readonly signal: AbortSignal;
  readonly phase: (phase: ConnectPhase) => void;
  /** Opens a transport and performs the handshake, of this era if it is known. */
  readonly open: (era: ProtocolEra | undefined) => Promise<Connection>;
  /** Runs between the handshake and `connected`. A rejection counts as a failed attempt. */
  readonly prepare: (connection: Connection) => Promise<void>;
}

/**
 * Connects and prepares the connection. If the server refuses the era of an earlier connection, in the handshake or when its lists are
 * read, it may have been updated or rolled back: it is asked for its era at once.
 */
export async function establish(deps: EstablishDeps): Promise<Connection> {
  const { cache, signal } = deps;
  const era = await cache.era();
  try {
    return await attempt(era, deps);
  } catch (error) {
    if (error instanceof AuthRequiredError || signal.aborted) throw error;
    // Whatever has failed, the era may be the cause: the next attempt probes again.
    await cache.rememberEra(undefined);
    if (era === undefined || !isRefusal(error)) throw error;
    return attempt(undefined, deps);
  }
}

async function attempt(era: ProtocolEra | undefined, deps: EstablishDeps): Promise<Connection> {
  const { cache, signal, phase, open, prepare } = deps;
  const connection = await open(era);
  try {
    const found = connection.session.era;
    if (found.kind === 'stateless' || found.isGuess !== true) await cache.rememberEra(found);
    phase('listing');
    await prepare(connection);
    signal.throwIfAborted();
    return connection;
  } catch (error) {
    await connection.session.close().catch(() => undefined);
    throw error;
  }
}

/** Returns true if a server has answered that it does not accept a request, or has answered something else than a response. */
export function isRefusal(error: unknown): error is FittingsError {
  return error instanceof FittingsError && (error.kind === 'protocol' || error.kind === 'network-permanent');
}
