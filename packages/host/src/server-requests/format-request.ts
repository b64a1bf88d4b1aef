import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { escapeJson, escapeText } from '@mcp-fittings/toolbox/text';
import type { ElicitationRequest } from '../contracts/server-requests.js';

const LONGEST_MESSAGE = 4_000;
const LONGEST_DATA = 8_000;
const LONGEST_URL = 8_000;

/**
 * Formats an elicitation request as plain text for the user who decides about it. Nothing is removed silently: control and
 * invisible characters become escapes such as `\\u{202e}`, and text that is cut says how much is missing.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#security-considerations
 * @example
 * const callbacks: HostCallbacks = {
 *   elicit: async (request, { server }) => {
 *     console.log(formatElicitation(server, request));
 *     return { action: 'decline' };
 *   },
 * };
 */
export function formatElicitation(server: string, request: ElicitationRequest): string {
  const lines = [`The server "${name(server)}" asks: ${block(request.message)}`];
  for (const warning of request.warnings) lines.push(`Careful: ${escapeText(warning)}`);
  if (request.mode === 'url') lines.push(`To open: ${escapeText(request.url, { maxLength: LONGEST_URL })}`);
  else lines.push(`Fields${sized(request.schema['properties'] ?? {})}`);
  return lines.join('\n');
}

/**
 * Formats the parameters of `sampling/createMessage` as plain text for the user who decides about it, in the same way as
 * {@link formatElicitation}.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#security-considerations
 */
export function formatSampling(server: string, params: JSONRPCObject): string {
  return `The server "${name(server)}" wants a model to answer this${sized(params)}`;
}

function sized(value: unknown): string {
  const { text, missing } = escapeJson(value, { maxLength: LONGEST_DATA });
  const cut = missing === 0 ? '' : `, ${missing} more characters are not shown`;
  return ` (${text.split('\n').length} lines, ${text.length} characters${cut}):\n${text}`;
}

const name = (text: string): string => escapeText(text, { maxLength: 200 });
const block = (text: string): string => escapeText(text, { maxLength: LONGEST_MESSAGE, multiline: true });
