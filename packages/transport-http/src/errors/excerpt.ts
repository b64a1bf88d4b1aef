import { sanitizeText, type createRedactor } from '@mcp-fittings/client-core';

/** Takes our own secrets out of a text. */
export type Redact = ReturnType<typeof createRedactor>;

/**
 * The beginning of what a server said, fit to show: without our secrets, which it may repeat, and without control
 * characters. Secrets go first, so that no part of one is left over where the text is cut.
 */
export function excerpt(text: string, redact: Redact, maxLength: number): string {
  return sanitizeText(redact(text, 'end'), { maxLength }).trim();
}
