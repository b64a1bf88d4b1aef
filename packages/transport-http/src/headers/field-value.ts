const SENTINEL = /^=\?base64\?.*\?=$/s;
const PLAIN = /^[\t\x20-\x7e]*$/;

/**
 * A value as the revision 2026-07-28 puts it into a header: as it is where that is safe, else as base64 of its UTF-8.
 * What looks like such base64 is encoded too, so that decoding gives back the value in any case.
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export function encodeFieldValue(value: string): string {
  return PLAIN.test(value) && value === value.trim() && !SENTINEL.test(value) ? value : toSentinel(value);
}

/** Whether HTTP would carry the value unchanged, so that nothing needs to be done to it. */
export function isSafeFieldValue(value: string): boolean {
  return PLAIN.test(value) && value === value.trim();
}

export function toSentinel(value: string): string {
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
