import { isRecord } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';

/** Has characters of one to four bytes, a quote, a line separator and a line feed: what framing trips over. */
const PATTERN = '0123456789 abc "quoted" \\ äöü 中文 \u2028\u2029 😀\n';

/** `length` UTF-16 units of a known pattern that ends in a whole character. */
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

/** One member of a result, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
