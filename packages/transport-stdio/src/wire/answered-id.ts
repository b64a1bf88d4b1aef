import type { RequestId } from '@mcp-fittings/client-core';
import { isRequestId, parseJson } from '@mcp-fittings/toolbox/messages';

const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const ID = String.raw`"id"\s*:\s*(?<id>"(?:[^"\\]|\\.)*"|-?\d+)`;
const BEGINNING = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?(?:${ID}\s*,\s*)?(?:${VERSION}\s*,\s*)?"(?:result|error)"\s*:`,
);
/** The `id` before the last brace belongs to the message itself. */
const END = new RegExp(String.raw`[,{]\s*(?:${VERSION}\s*,\s*)?${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);

/**
 * Returns the id of the request that an unparsable message answers, read from its first and last characters. Undefined where
 * that is not certain, so that no other request fails instead.
 */
export function answeredId(head: string, tail = ''): RequestId | undefined {
  const beginning = BEGINNING.exec(head);
  if (beginning === null) return undefined;
  const id = parseJson(beginning.groups?.['id'] ?? END.exec(tail)?.groups?.['id'] ?? '');
  return isRequestId(id) ? id : undefined;
}
