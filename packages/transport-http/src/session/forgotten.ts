import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { HttpConnection } from '../http-connection.js';
import { sendOwnRequest } from './own-request.js';

/** Says how a server refused a request. */
export interface SessionRefusal {
  /** HTTP status: 200 for an error in an accepted reply. */
  readonly status: number;
  /** JSON-RPC code, if the body is a JSON-RPC error. */
  readonly code: unknown;
}

/** Words of servers that have lost the session, or what `initialize` told them. */
const SPEAKS_OF_SESSION = /session|initiali[sz]/i;

/** Returns whether the text of an error may mean that the server does not know the session. */
export function speaksOfSession(text: unknown): boolean {
  return typeof text === 'string' && SPEAKS_OF_SESSION.test(text);
}

/**
 * Finds out whether a request was refused because the server has forgotten its session, which servers say in many ways. Resolves with
 * `true` if the server refuses a `ping` in that session in the same way, or if the session has been replaced meanwhile.
 */
export async function isForgotten(
  sessionId: string,
  refused: SessionRefusal,
  connection: HttpConnection,
): Promise<boolean> {
  const { session } = connection;
  if (session.id !== sessionId) return true;
  let pinged: SessionRefusal | undefined;
  try {
    const answer = await sendOwnRequest(
      {
        method: 'ping',
        fields: connection.headersOf({ jsonrpc: '2.0', id: 0, method: 'ping' }, {}).fields,
        session: 'current',
        settle({ head, rpcError }) {
          pinged = { status: head.status, code: rpcError?.error.code };
          return true;
        },
      },
      connection,
    );
    const error = isRecord(answer) ? answer['error'] : undefined;
    if (isRecord(error)) pinged = { status: 200, code: error['code'] };
  } catch {
    // A server that cannot be reached says nothing about the session.
  }
  if (session.id !== sessionId) return true;
  return pinged !== undefined && pinged.status === refused.status && pinged.code === refused.code;
}
