import { type ErrorCode, FittingsError } from '@mcp-fittings/client-core';
import { isRecord, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { MCP_CODES, RpcError } from '../contracts/rpc-error.js';

/** Codes of errors that are the client's: it asked for something that is not there. */
const INVALID_PARAMS: ReadonlySet<ErrorCode> = new Set([
  'TOOL_UNKNOWN',
  'SERVER_UNKNOWN',
  'ARGUMENTS_INVALID',
]);
/** Revision 2025-11-25 had a code of its own for it. */
const RESOURCE_NOT_FOUND = -32_002;
/** Version 1 of the SDK puts this before the message of every error response. */
const SDK_PREFIX = /^MCP error -?\d+: /;
const MAX_MESSAGE = 2000;

/**
 * Returns the JSON-RPC error for a client. An error response of a server keeps its code and data. Other errors say in `data` what
 * happened, how far the request got (`delivery`), and what to do; they contain no stack, and no secret.
 * @param era - in the `modern` one, no error asks to visit a page
 */
export function toRpcError(error: unknown, era: 'legacy' | 'modern'): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof FittingsError)) {
    return new RpcError(RPC_CODES.internalError, 'The gateway could not process the request.', {
      delivery: 'unknown',
    });
  }
  const { code, delivery = 'unknown', retryable, hint } = error;
  const { retryAfterMs } = error.details;
  const known = {
    code,
    delivery,
    retryable,
    ...(hint !== undefined && { hint: clean(hint) }),
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
  };
  const { clientCapability } = error.details;
  if (era === 'modern' && code === 'CAPABILITY_MISSING' && typeof clientCapability === 'string') {
    const requiredCapabilities = capabilityOf(clientCapability);
    const data = { ...known, requiredCapabilities };
    return new RpcError(MCP_CODES.missingClientCapability, clean(error.message), data, 400);
  }
  const rpcCode = error.details['rpcCode'];
  if (code !== 'RPC_ERROR' || typeof rpcCode !== 'number') {
    return new RpcError(numberOf(code), clean(error.message), known);
  }
  const { cause } = error;
  const data: unknown = cause instanceof Error && 'data' in cause ? cause.data : undefined;
  const message =
    cause instanceof Error ? clean(cause.message.replace(SDK_PREFIX, '')) : clean(error.message);
  return new RpcError(codeIn(era, rpcCode), message, withDelivery(data, known));
}

/** Returns the code of a server's error for clients of an era. */
function codeIn(era: 'legacy' | 'modern', code: number): number {
  if (code === RESOURCE_NOT_FOUND) return RPC_CODES.invalidParams;
  return era === 'modern' && code === MCP_CODES.urlElicitationRequired ? RPC_CODES.internalError : code;
}

/** Returns `elicitation.url` as `{ elicitation: { url: {} } }`. */
function capabilityOf(path: string): object {
  return path.split('.').reduceRight<object>((inner, name) => ({ [name]: inner }), {});
}

function numberOf(code: ErrorCode): number {
  if (code === 'CAPABILITY_MISSING') return RPC_CODES.methodNotFound;
  return INVALID_PARAMS.has(code) ? RPC_CODES.invalidParams : RPC_CODES.internalError;
}

/** Adds how far the request got to the data of the server, unless that says so already, as another gateway does. */
function withDelivery(data: unknown, known: { readonly delivery: string }): unknown {
  if (data === undefined) return known;
  return isRecord(data) ? { delivery: known.delivery, ...data } : data;
}

const clean = (text: string): string => sanitizeText(text, { maxLength: MAX_MESSAGE, multiline: true });

/** Returns the error for a name or URI that the client does not see. It is the same whether it exists or not. */
export function unknownItem(what: 'tool' | 'prompt' | 'resource', name: string): RpcError {
  const shown = sanitizeText(name, { maxLength: 200 });
  return new RpcError(RPC_CODES.invalidParams, `Unknown ${what}: ${shown}`, {
    ...(what === 'tool' && { code: 'TOOL_UNKNOWN' }),
    delivery: 'not-sent',
    retryable: false,
  });
}
