import type { Stats } from 'node:fs';
import { FittingsError } from '../errors/fittings-error.js';

const OTHERS = 0o077;

/**
 * Refuses, with STORE_INSECURE, what another user owns, may read or may write. Windows has neither these modes nor
 * owners: there the profile's own access rules protect the file.
 */
export function assertPrivate(path: string, stats: Stats): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (stats.uid !== user) {
    throw insecure(
      path,
      `belongs to user ${stats.uid}, not to user ${user}`,
      'Remove it, or use another path.',
    );
  }
  if ((stats.mode & OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    const hint = `Run: chmod go= ${JSON.stringify(path)}. Whoever could read it may have the credentials in it: sign in again.`;
    throw insecure(path, `has mode ${mode}, so that other users can get at it`, hint);
  }
}

export function insecure(path: string, fact: string, hint: string): Error {
  return new FittingsError('STORE_INSECURE', `${path} ${fact}.`, { hint, details: { path } });
}
