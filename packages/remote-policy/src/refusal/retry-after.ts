export interface RetryAfterOptions {
  /** Milliseconds since the epoch, for the form with a date. */
  readonly now: number;
  /** The answer is never more, milliseconds. Default 86 400 000, a day: no server makes a client wait longer. */
  readonly maxMs?: number | undefined;
}

/**
 * Milliseconds that a `Retry-After` header asks to wait, between 0 and `maxMs`; undefined when it can't be read.
 * @see https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3
 */
export function parseRetryAfter(value: string | undefined, options: RetryAfterOptions): number | undefined {
  const { now, maxMs = 86_400_000 } = options;
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxMs);
  // Date.parse alone takes nearly anything for a date.
  if (text.length > 40 || !/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), maxMs);
}
