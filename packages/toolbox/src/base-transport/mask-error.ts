import type { JSONRPCErrorResponse } from '@mcp-fittings/client-core';
import type { Redactor } from '../text/redact.js';

/** Longest text of one error that is searched for secrets and kept. A reason is shorter. */
const MAX_CHARACTERS = 100_000;
const MAX_VALUES = 2000;
const MAX_DEPTH = 100;

/** Returns an error response without secrets: in its message, in its data at any depth, and in members that are not of JSON-RPC. */
export function maskError(response: JSONRPCErrorResponse, redact: Redactor): JSONRPCErrorResponse {
  let characters = MAX_CHARACTERS;
  let values = MAX_VALUES;

  const maskText = (text: string): string => {
    const isCut = text.length > characters;
    const kept = isCut ? text.slice(0, characters) : text;
    characters -= kept.length;
    return redact(kept, isCut ? 'end' : undefined);
  };
  const maskValue = (value: unknown, depth: number): unknown => {
    values--;
    if (typeof value === 'string') return maskText(value);
    if (typeof value === 'number')
      return redact(String(value)) === String(value) ? value : maskText(String(value));
    if (typeof value !== 'object' || value === null) return value;
    if (depth === MAX_DEPTH) return undefined;
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (let at = 0; at < value.length; at++) {
        if (values <= 0) break;
        list.push(maskValue(value[at], depth + 1));
      }
      return list;
    }
    return maskMembers(value, depth);
  };
  const maskMembers = (record: object, depth: number): Record<string, unknown> => {
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(record)) {
      if (values <= 0) break;
      members.push([maskText(name), maskValue(member, depth + 1)]);
    }
    // Unlike an assignment, it makes "__proto__" a member like others.
    return Object.fromEntries(members);
  };

  const { code, message, ...rest } = response.error;
  return { ...response, error: { code, message: maskText(message), ...maskMembers(rest, 0) } };
}
