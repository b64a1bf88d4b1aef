import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { RpcError } from '../contracts/rpc-error.js';

/** Returns a member that must be text. Throws -32602 if it is not. */
export function textIn(params: JSONRPCObject, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new RpcError(RPC_CODES.invalidParams, `Invalid params: "${name}" must be a string.`);
}

/** Returns a member that has to be an object; an empty one if it is missing. */
export function recordIn(params: JSONRPCObject, name: string): JSONRPCObject {
  const value = params[name];
  return isRecord(value) ? value : {};
}

/** Returns the text members of an object. */
export function textsIn(params: JSONRPCObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
