import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';

/** Characters of one to four bytes, a quote, a line separator and a line feed, which are hard for framing. */
const PATTERN = '0123456789 abc "quoted" \\ äöü 中文 \u2028\u2029 😀\n';

/** Returns `length` UTF-16 units of a known pattern that ends with a whole character. */
export function patternText(length: number): string {
  const whole = Math.floor(length / PATTERN.length);
  return PATTERN.repeat(whole) + '.'.repeat(length - whole * PATTERN.length);
}

export function numberParam(params: JSONRPCObject, name: string): number {
  const value = params[name];
  return typeof value === 'number' ? value : 0;
}

export function listParam(params: JSONRPCObject, name: string): readonly unknown[] {
  const value = params[name];
  return Array.isArray(value) ? value : [];
}

/** Returns one member of a result, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Number of messages for a peer that does not read: in total more than a pipe or socket buffers, and less than a usual limit. */
export const FLOOD_MESSAGES = 16;
/** Returns the text of each of them: 1 MiB. */
export const floodText = (): string => 'x'.repeat(1024 * 1024);
