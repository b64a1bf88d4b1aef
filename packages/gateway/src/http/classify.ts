import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from '@mcp-fittings/client-core';
import {
  INITIALIZE_REVISIONS,
  isMessage,
  isRecord,
  isRequest,
  isResponse,
  META,
  RPC_CODES,
  STATELESS_REVISION,
} from '@mcp-fittings/toolbox/messages';
import { decodeParameterText } from '@mcp-fittings/toolbox/parameter-headers';
import { MCP_CODES, RpcError } from '../contracts/rpc-error.js';
import { checkMeta, checkRevision, isStateless } from '../rpc/stateless.js';

/** The body of a POST: messages of a session, or one message of 2026-07-28. */
export type Classified =
  | { readonly era: 'legacy'; readonly messages: readonly JSONRPCMessage[] }
  | { readonly era: 'modern'; readonly message: JSONRPCRequest | JSONRPCNotification };

/** Reads a header by its name in lower case. */
type Header = (name: string) => string | undefined;

const MOST_IN_BATCH = 100;

/** Throws the error of a body that is not what its headers say. Proxies before the gateway may have decided by them. */
export function classify(body: unknown, header: Header): Classified {
  if (Array.isArray(body)) return batch(body);
  if (!isMessage(body)) throw refused(RPC_CODES.invalidRequest, 'The body is not a valid JSON-RPC message.');
  if (isResponse(body)) return { era: 'legacy', messages: [body] };
  const { method, params = {} } = body;
  const version = header('mcp-protocol-version');
  const isNamed = version !== undefined && version >= STATELESS_REVISION && DATE.test(version);
  const claims = isStateless(params);
  if (!isRequest(body)) {
    if (claims) checkVersion(params._meta?.[META.protocolVersion], version);
    if (!claims && !isNamed) return { era: 'legacy', messages: [body] };
    checkMethod(method, header('mcp-method') ?? method);
    return { era: 'modern', message: body };
  }
  if (!claims && method === 'initialize' && isNamed)
    throw mismatch(version, 'an initialize request has the header of a revision without one');
  if (!claims && isNamed) {
    const text = `The header names revision ${version}, but the request lacks _meta of it.`;
    throw refused(RPC_CODES.invalidParams, text, { envelope: { missing: [META.protocolVersion] } });
  }
  if (!claims) return { era: 'legacy', messages: [body] };
  checkMeta(params);
  checkVersion(params._meta?.[META.protocolVersion], version ?? '(missing)');
  checkRevision(params);
  checkMethod(method, header('mcp-method'));
  checkName(method, params, header('mcp-name'));
  return { era: 'modern', message: body };
}

const DATE = /^\d{4}-\d\d-\d\d$/;

function batch(body: readonly unknown[]): Classified {
  const isWhole = body.length > 0 && body.length <= MOST_IN_BATCH;
  const messages = body.filter(isMessage);
  const hasOther = messages.some((message) => 'method' in message && isStateless(message.params));
  if (isWhole && messages.length === body.length && !hasOther) return { era: 'legacy', messages };
  const text = `A batch has 1 to ${MOST_IN_BATCH} messages of revision 2025-03-26.`;
  throw refused(RPC_CODES.invalidRequest, text);
}

function checkVersion(claimed: unknown, header: string | undefined): void {
  if (header !== undefined && header !== claimed)
    throw mismatch(header, `the body has revision ${String(claimed)}`);
}

function checkMethod(method: string, header: string | undefined): void {
  if (header !== method) throw mismatch(header, `the body has the method ${method}`);
}

/** Members of the parameters that the header `Mcp-Name` repeats. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

function checkName(method: string, params: object, header: string | undefined): void {
  const member = NAMED.get(method);
  const value: unknown = member !== undefined && isRecord(params) ? params[member] : undefined;
  if (member === undefined || (typeof value !== 'string' && header === undefined)) return;
  const name = header === undefined ? undefined : decodeParameterText(header);
  if (name === undefined || (typeof value === 'string' && name !== value))
    throw mismatch(header, `the body has params.${member} ${JSON.stringify(value)}`);
}

function mismatch(header: string | undefined, body: string): RpcError {
  const text = `The request headers and the body disagree: ${body}.`;
  return refused(MCP_CODES.headerMismatch, text, { mismatch: { header: header ?? '(missing)', body } });
}

function refused(code: number, message: string, data?: unknown): RpcError {
  return new RpcError(code, message, data, 400);
}

/** Throws the error of a request of a session whose header names a revision that the gateway does not know. */
export function checkSessionRevision(header: Header): void {
  const version = header('mcp-protocol-version');
  if (version === undefined || INITIALIZE_REVISIONS.some((known) => known === version)) return;
  throw refused(-32_000, `Unsupported protocol version: ${version}`);
}
