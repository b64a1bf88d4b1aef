import type { RequestId } from '@mcp-fittings/client-core';
import { isRequestId, parseJson } from '@mcp-fittings/toolbox/messages';

/** A member whose value is a primitive, and what follows it: `"id": 5 ,`. */
const SCALAR_MEMBER =
  /\s*"(?<name>(?:[^"\\]|\\.)*)"\s*:\s*(?<value>"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)\s*(?<end>[,}])/y;
const MEMBER_NAME = /\s*"(?<name>(?:[^"\\]|\\.)*)"\s*:/y;
/** The `id` before the last brace belongs to the message itself. */
const ID_AT_END =
  /[,{]\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(?<id>"(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/**
 * Returns the id of the request that an unparsable message answers, read from its first and last characters. Undefined where
 * that is not certain, so that no other request fails instead.
 */
export function answeredId(head: string, tail = ''): RequestId | undefined {
  const start = /^\s*\{/.exec(head);
  if (start === null) return undefined;
  let at = start[0].length;
  let id: unknown;
  for (;;) {
    SCALAR_MEMBER.lastIndex = at;
    const member = SCALAR_MEMBER.exec(head)?.groups;
    if (member === undefined) break;
    at = SCALAR_MEMBER.lastIndex;
    if (member['name'] === 'id') id = parseJson(member['value'] ?? '');
  }
  MEMBER_NAME.lastIndex = at;
  const name = MEMBER_NAME.exec(head)?.groups?.['name'];
  if (name !== 'result' && name !== 'error') return undefined;
  id ??= parseJson(ID_AT_END.exec(tail)?.groups?.['id'] ?? '');
  return isRequestId(id) ? id : undefined;
}
