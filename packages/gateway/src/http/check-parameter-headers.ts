import { isRecord } from '@mcp-fittings/toolbox/messages';
import {
  decodeParameterText,
  parameterHeaders,
  parameterText,
} from '@mcp-fittings/toolbox/parameter-headers';
import { MCP_CODES, RpcError } from '../contracts/rpc-error.js';

/**
 * Rejects with the error of a tool call whose `Mcp-Param-*` headers differ from its arguments: a proxy before the gateway may have routed or
 * allowed it by the headers.
 * @param schemaOf - resolves with the `inputSchema` of a tool that the caller sees
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export async function checkParameterHeaders(
  header: (name: string) => string | undefined,
  { method, params }: { readonly method: string; readonly params?: unknown },
  schemaOf: (tool: string) => Promise<unknown>,
): Promise<void> {
  if (method !== 'tools/call' || !isRecord(params) || typeof params['name'] !== 'string') return;
  for (const parameter of parameterHeaders(await schemaOf(params['name']))) {
    const expected = parameterText(params['arguments'], parameter);
    if (expected === undefined) continue;
    const sent = header(parameter.header.toLowerCase());
    if (sent !== undefined && isSame(decodeParameterText(sent), expected)) continue;
    const what = sent === undefined ? 'is missing' : 'differs from the argument';
    const mismatch = { header: parameter.header, body: parameter.path.join('.') };
    const text = `The header ${parameter.header} ${what}.`;
    throw new RpcError(MCP_CODES.headerMismatch, text, { mismatch }, 400);
  }
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Numbers are the same whether they are written as `42` or as `42.0`. */
function isSame(sent: string | undefined, expected: string): boolean {
  if (sent === undefined || sent === expected) return sent === expected;
  return DECIMAL.test(sent) && DECIMAL.test(expected) && Number(sent) === Number(expected);
}
