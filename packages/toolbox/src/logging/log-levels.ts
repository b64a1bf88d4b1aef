/**
 * Severities of the messages that a server logs, lowest first (RFC 5424).
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#log-levels
 */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** Severity of a message that a server logs. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Returns whether a value is a severity. */
export function isLogLevel(value: unknown): value is LogLevel {
  const levels: readonly unknown[] = LOG_LEVELS;
  return levels.includes(value);
}
