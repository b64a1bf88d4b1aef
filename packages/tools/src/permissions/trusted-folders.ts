import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { z } from 'zod';

/** Which folders a person trusts, by absolute path. The nearest folder that has an entry decides. */
export type SerializedTrustedFolders = Record<string, 'trusted' | 'untrusted'>;

/** Folders that were trusted. Keep the serialised form where a project's files can not write. */
export interface TrustedFolders {
  /** Whether this folder, or the nearest one above that has an entry, is trusted. Links are followed first. */
  isTrusted(folder: string): boolean;
  set(folder: string, trust: 'trusted' | 'untrusted'): void;
  toJSON(): SerializedTrustedFolders;
}

const shape = z.record(z.string(), z.enum(['trusted', 'untrusted']));

/** Throws `CONFIG_INVALID` when what was kept is not what `toJSON` gave. */
export function createTrustedFolders(kept: unknown = {}): TrustedFolders {
  const initial = shape.safeParse(kept);
  if (!initial.success) {
    throw new FittingsError('CONFIG_INVALID', 'The list of trusted folders is malformed.', {
      cause: initial.error,
    });
  }
  const entries = new Map(Object.entries(initial.data).map(([folder, trust]) => [realFolder(folder), trust]));

  return {
    isTrusted(folder) {
      for (let place = realFolder(folder); ; place = dirname(place)) {
        const trust = entries.get(place);
        if (trust !== undefined) return trust === 'trusted';
        if (dirname(place) === place) return false;
      }
    },
    set: (folder, trust) => void entries.set(realFolder(folder), trust),
    toJSON: () => Object.fromEntries(entries),
  };
}

/** As the file system knows it, so that a link into a trusted folder gains nothing. */
function realFolder(folder: string): string {
  const absolute = resolve(folder);
  try {
    return realpathSync.native(absolute);
  } catch {
    // It does not exist (any more): take its path as it is written.
    return absolute;
  }
}
