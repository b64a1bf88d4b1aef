import { FittingsError } from '@mcp-fittings/client-core';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { Connection } from '../connection/connect-once.js';
import type { Supervisor } from '../connection/supervisor.js';
import { ping } from '../engine/era.js';

/**
 * Finds out whether a call has failed because the server speaks another era now: over HTTP, a server can be updated or rolled back while
 * it counts as connected, and would refuse every call. Gives the connection up if so.
 */
export class EraCheck {
  readonly #timeoutMs: number;
  readonly #supervisor: Supervisor;
  #checked: Connection | undefined;

  constructor(timeoutMs: number, supervisor: Supervisor) {
    this.#timeoutMs = timeoutMs;
    this.#supervisor = supervisor;
  }

  /** Call it when a call has failed over this connection. */
  async check(error: unknown, connection: Connection): Promise<void> {
    if (!(error instanceof FittingsError)) return;
    // The server has refused to open a new session.
    if (error.code === 'SESSION_LOST' && !error.retryable) return this.#supervisor.giveUp(connection, error);
    // Requests that share one connection all reach the same process.
    if (connection.transport.hasPerRequestStream !== true) return;
    if (!isRefusal(error) || this.#checked === connection) return;
    this.#checked = connection;
    try {
      await ping(connection.session, { timeoutMs: this.#timeoutMs });
    } catch (refused) {
      const isStateless = connection.session.era.kind === 'stateless';
      // A stateless server answers `server/discover`. A server of the older era need not know `ping`.
      if (isRefusal(refused) && (isStateless || areAlike(refused, error)))
        this.#supervisor.giveUp(connection, refused);
    } finally {
      this.#checked = undefined;
    }
  }
}

/** An unknown method says nothing about the era: many servers do not know `ping`. */
function areAlike(one: FittingsError, other: FittingsError): boolean {
  const { rpcCode, status } = one.details;
  if (rpcCode === RPC_CODES.methodNotFound || one.code !== other.code) return false;
  return rpcCode === other.details['rpcCode'] && status === other.details['status'];
}

/** Returns true if a server has answered that it does not accept a request, or has answered something else than a response. */
export function isRefusal(error: unknown): error is FittingsError {
  return error instanceof FittingsError && (error.kind === 'protocol' || error.kind === 'network-permanent');
}
