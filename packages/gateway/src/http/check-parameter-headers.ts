import { isRecord, isRequestId } from '@mcp-fittings/toolbox/messages';
import {
  decodeParameterText,
  parameterHeaders,
  parameterText,
} from '@mcp-fittings/toolbox/parameter-headers';
import { REFUSAL_CODES, refuse } from './refusals.js';

/**
 * Refuses a tool call whose `Mcp-Param-*` headers differ from its arguments: a proxy before the gateway may have routed or allowed it by
 * the headers. Returns `undefined` for any other message.
 * @param schemaOf - returns the `inputSchema` of a tool that the caller sees
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export function checkParameterHeaders(
  headers: Headers,
  body: unknown,
  schemaOf: (tool: string) => unknown,
): Response | undefined {
  const params = isRecord(body) && body['method'] === 'tools/call' ? body['params'] : undefined;
  if (!isRecord(body) || !isRecord(params) || typeof params['name'] !== 'string') return undefined;
  for (const parameter of parameterHeaders(schemaOf(params['name']))) {
    const expected = parameterText(params['arguments'], parameter);
    if (expected === undefined) continue;
    const sent = headers.get(parameter.header);
    if (sent !== null && isSame(decodeParameterText(sent), expected)) continue;
    const id = isRequestId(body['id']) ? body['id'] : null;
    const what = sent === null ? 'is missing' : 'differs from the argument';
    return refuse(400, `The header ${parameter.header} ${what}.`, {
      code: REFUSAL_CODES.headerMismatch,
      id,
      data: { mismatch: { header: parameter.header, body: parameter.path.join('.') } },
    });
  }
  return undefined;
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Numbers are the same whether they are written as `42` or as `42.0`. */
function isSame(sent: string | undefined, expected: string): boolean {
  if (sent === undefined || sent === expected) return sent === expected;
  return DECIMAL.test(sent) && DECIMAL.test(expected) && Number(sent) === Number(expected);
}
