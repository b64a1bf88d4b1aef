import type { RequestId } from '@mcp-fittings/client-core/transport';

/** A refusal in the form that MCP clients read. */
export function refusal(
  status: number,
  code: number,
  message: string,
  id: RequestId | null = null,
): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
}

/** Codes that the official SDKs use for the same refusals. */
export const HTTP_REFUSALS = { general: -32_000, sessionNotFound: -32_001 } as const;
