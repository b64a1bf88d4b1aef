import { isRecent } from '@mcp-fittings/client-core/auth';

/** What a server is shown. */
export interface GoogleToken {
  readonly authorization: string;
  /** Project to bill. */
  readonly quotaProject: string | undefined;
  /** Milliseconds since the epoch; undefined when nobody said. */
  readonly expiresAt: number | undefined;
  /** Milliseconds since the epoch. */
  readonly obtainedAt: number;
}

/** Young enough to be used whatever its expiry says: clocks differ, and a token that is born dead is no reason to hurry. */
const MIN_LIFE_MS = 10_000;

export function isAlive({ expiresAt, obtainedAt }: GoogleToken, now: number): boolean {
  return expiresAt === undefined || now < expiresAt || isRecent(obtainedAt, MIN_LIFE_MS, now);
}

/** A minute before the end, or a tenth of the life of one that lives shorter. */
export function isFresh({ expiresAt, obtainedAt }: GoogleToken, now: number): boolean {
  if (expiresAt === undefined || isRecent(obtainedAt, MIN_LIFE_MS, now)) return true;
  return now < expiresAt - Math.min(60_000, (expiresAt - obtainedAt) / 10);
}
