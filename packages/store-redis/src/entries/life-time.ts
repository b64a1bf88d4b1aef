import type { StoredValue } from '@mcp-fittings/client-core/auth';

const DAY_MS = 24 * 3600 * 1000;
/** So long a value stays after it has expired: clocks differ, and it may still say what to ask for next. */
const GRACE_MS = DAY_MS;

/**
 * How long Redis keeps a value after it was written, milliseconds; undefined: without end. An access token ends by itself
 * (`expiresAt`). A refresh token outlives it, and nobody says for how long, so it is kept for as long as it is used: each
 * refresh writes it again. Everything else, such as a registration or a key, is what refreshes depend on, and stays.
 */
export function lifeOf(value: StoredValue, now: number, keepMs: number): number | undefined {
  if (value['refreshToken'] !== undefined) return keepMs;
  const expiresAt = value['expiresAt'];
  if (typeof expiresAt !== 'number' || !Number.isFinite(expiresAt)) return undefined;
  return Math.round(Math.min(Math.max(expiresAt - now, 0) + GRACE_MS, keepMs));
}

/** Time that a process remembers what it saw of a value without end: nobody waits so long. */
export const LONGEST_MEMORY_MS = 365 * DAY_MS;
