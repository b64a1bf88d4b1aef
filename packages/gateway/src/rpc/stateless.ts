import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isLogLevel } from '@mcp-fittings/toolbox/logging';
import { isRecord, META, RPC_CODES, STATELESS_REVISION } from '@mcp-fittings/toolbox/messages';
import { MCP_CODES, RpcError } from '../contracts/rpc-error.js';

/** Returns whether the parameters of a message say which revision it has: one of 2026-07-28 or later. */
export function isStateless(params: unknown): boolean {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) && META.protocolVersion in meta;
}

/**
 * Throws the error of a request of 2026-07-28 whose `_meta` is not what the revision requires.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function checkMeta(params: JSONRPCObject): void {
  const { _meta: meta = {} } = params;
  const wrong = Object.entries(REQUIRED).find(([key, isValid]) => !isValid(meta[key]));
  if (wrong !== undefined) {
    const [key] = wrong;
    const problem = key in meta ? 'invalid' : 'missing';
    const text = `Invalid _meta envelope for protocol revision ${STATELESS_REVISION}: ${key}: ${problem}`;
    throw new RpcError(RPC_CODES.invalidParams, text, { envelope: { key, problem } }, 400);
  }
}

/** Throws the error of a request of a revision that the gateway does not know. */
export function checkRevision({ _meta: meta = {} }: JSONRPCObject): void {
  const version = meta[META.protocolVersion];
  if (version === STATELESS_REVISION) return;
  const data = { supported: [STATELESS_REVISION], requested: version };
  throw new RpcError(
    MCP_CODES.unsupportedVersion,
    `Unsupported protocol version: ${String(version)}`,
    data,
    400,
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';

const REQUIRED: Readonly<Record<string, (value: unknown) => boolean>> = {
  [META.protocolVersion]: isText,
  [META.clientCapabilities]: isRecord,
  [META.clientInfo]: (value) =>
    value === undefined || (isRecord(value) && isText(value['name']) && isText(value['version'])),
  [META.logLevel]: (value) => value === undefined || isLogLevel(value),
};
