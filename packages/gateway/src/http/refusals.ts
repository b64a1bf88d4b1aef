import type { RequestId } from '@mcp-fittings/client-core';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';

/** JSON-RPC codes of refusals over HTTP: those that the official SDKs use for the same errors. */
export const REFUSAL_CODES = {
  general: -32_000,
  sessionNotFound: -32_001,
  parseError: RPC_CODES.parseError,
  invalidRequest: RPC_CODES.invalidRequest,
  internalError: RPC_CODES.internalError,
} as const;

/** Options of {@link refuse}. */
interface RefuseOptions {
  readonly code?: number | undefined;
  readonly data?: unknown;
  readonly id?: RequestId | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Creates a response whose body is a JSON-RPC error, as MCP clients expect it. */
export function refuse(status: number, message: string, options: RefuseOptions = {}): Response {
  const { code = REFUSAL_CODES.general, data, id = null, headers = {} } = options;
  return Response.json(
    { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } },
    { status, headers },
  );
}

/** Error of a call that was in flight when the gateway closed. Its server may have carried it out. */
export const CLOSED = {
  code: REFUSAL_CODES.general,
  message: 'The gateway was closed before there was an answer.',
  data: { code: 'CONNECTION_LOST', delivery: 'unknown' },
} as const;
