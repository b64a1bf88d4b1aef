import type { JSONRPCObject, JSONRPCResponse, JSONRPCResultResponse } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ServerIdentity } from '@mcp-fittings/host';
import { handshakeProblem } from '@mcp-fittings/host/engine';

/** Methods whose result describes the server. The host keeps, compares and digests it, and an SDK parses it as a whole. */
const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/** Stands for a server that does not state both its name and its version, because an SDK requires them. */
const UNNAMED = { name: '', version: '' };

export function isHandshake(method: string): boolean {
  return HANDSHAKE.has(method);
}

/**
 * Returns the answer to a handshake without what an SDK refuses and the host ignores: members that are `null`, and names or
 * instructions that are not texts. A result that is too large to keep becomes an error.
 */
export function acceptableHandshake(message: JSONRPCResultResponse, method: string): JSONRPCResponse {
  const { jsonrpc, id } = message;
  const error = handshakeProblem(method, message.result);
  if (error !== undefined) return { jsonrpc, id, error };
  const { serverInfo, instructions, ...others } = withoutNulls(message.result);
  const result = {
    ...others,
    ...(method === 'initialize' && { serverInfo: identityOf(serverInfo) ?? UNNAMED }),
    ...(typeof instructions === 'string' && { instructions }),
  };
  return { jsonrpc, id, result };
}

/** Returns the name and version of a server; `undefined` if it does not state both. */
export function identityOf(info: unknown): ServerIdentity | undefined {
  if (!isRecord(info)) return undefined;
  const { name, version, title } = info;
  if (typeof name !== 'string' || typeof version !== 'string' || name === UNNAMED.name) return undefined;
  return { name, version, ...(typeof title === 'string' && { title }) };
}

function withoutNulls(result: JSONRPCObject): JSONRPCObject {
  const copy: unknown = JSON.parse(JSON.stringify(result), (_key, value: unknown) => value ?? undefined);
  return isRecord(copy) ? copy : result;
}
