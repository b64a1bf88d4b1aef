import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';
import { encodeFieldValue } from './field-value.js';

/** Which parameter a proxy may read in `Mcp-Name`, by method. Tasks are an extension. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * `Mcp-Method` and `Mcp-Name`: what of a message of revision 2026-07-28 is repeated in its headers.
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export function routingHeaders(message: JSONRPCMessage): Record<string, string> {
  if (!('method' in message)) return {};
  const headers: Record<string, string> = { 'mcp-method': encodeFieldValue(message.method) };
  const parameter = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method] : undefined;
  const name = parameter === undefined ? undefined : message.params?.[parameter];
  if (typeof name === 'string') headers['mcp-name'] = encodeFieldValue(name);
  return headers;
}
