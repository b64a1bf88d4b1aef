import { escapeJson, escapeText } from '@mcp-fittings/client-core/text';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { ElicitationRequest } from '../contracts/server-requests.js';

const LONGEST_MESSAGE = 4_000;
const LONGEST_DATA = 8_000;
const LONGEST_URL = 8_000;

/**
 * What a server asks a person, as text to decide by: nothing is removed, control and invisible characters are escapes
 * such as `\\u{202e}`, and each cut says how much is missing.
 */
export function elicitationText(server: string, request: ElicitationRequest): string {
  const lines = [`The server "${name(server)}" asks: ${block(request.message)}`];
  for (const warning of request.warnings) lines.push(`Careful: ${escapeText(warning)}`);
  if (request.mode === 'url') lines.push(`To open: ${escapeText(request.url, { maxLength: LONGEST_URL })}`);
  else lines.push(`Fields${sized(request.schema['properties'] ?? {})}`);
  return lines.join('\n');
}

/** What a server wants a model to be asked in its name, as text to decide by: see {@link elicitationText}. */
export function samplingText(server: string, params: JSONRPCObject): string {
  return `The server "${name(server)}" wants a model to answer this${sized(params)}`;
}

function sized(value: unknown): string {
  const { text, missing } = escapeJson(value, { maxLength: LONGEST_DATA });
  const cut = missing === 0 ? '' : `, ${missing} more characters are not shown`;
  return ` (${text.split('\n').length} lines, ${text.length} characters${cut}):\n${text}`;
}

const name = (text: string): string => escapeText(text, { maxLength: 200 });
const block = (text: string): string => escapeText(text, { maxLength: LONGEST_MESSAGE, multiline: true });
