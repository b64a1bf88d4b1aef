import { FittingsError } from '@mcp-fittings/client-core';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { Connection } from '../connection/connect-once.js';
import { isRefusal } from './establish.js';

/**
 * Creates a function that finds out whether a call has failed because the server speaks another era now: over HTTP, a server can be
 * updated or rolled back while it counts as connected, and would refuse every call. Calls `giveUp` if so.
 */
export function createEraCheck(
  timeoutMs: number,
  giveUp: (connection: Connection, reason: FittingsError) => void,
): (error: unknown, connection: Connection) => Promise<void> {
  let checked: Connection | undefined;
  return async (error, connection) => {
    if (!(error instanceof FittingsError)) return;
    // The server has refused to open a new session.
    if (error.code === 'SESSION_LOST' && !error.retryable) return giveUp(connection, error);
    // Requests that share one connection all reach the same process.
    if (connection.transport.hasPerRequestStream !== true) return;
    if (!isRefusal(error) || checked === connection) return;
    checked = connection;
    try {
      await connection.session.ping({ timeoutMs });
    } catch (refused) {
      const isStateless = connection.session.era.kind === 'stateless';
      // A stateless server answers `server/discover`. A server of the older era need not know `ping`.
      if (isRefusal(refused) && (isStateless || areAlike(refused, error))) giveUp(connection, refused);
    } finally {
      checked = undefined;
    }
  };
}

/** An unknown method says nothing about the era: many servers do not know `ping`. */
function areAlike(one: FittingsError, other: FittingsError): boolean {
  const { rpcCode, status } = one.details;
  if (rpcCode === RPC_CODES.methodNotFound || one.code !== other.code) return false;
  return rpcCode === other.details['rpcCode'] && status === other.details['status'];
}
