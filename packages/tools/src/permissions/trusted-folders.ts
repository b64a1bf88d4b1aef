import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { z } from 'zod';

/**
 * The folders that the user trusts or does not trust, in memory. Save {@link TrustedFolders.toJSON} where the files of a project
 * cannot write.
 */
export interface TrustedFolders {
  /** Returns whether this folder, or else its nearest parent that has an entry, is trusted. Symbolic links are resolved. */
  isTrusted(folder: string): boolean;
  /** Records that the user trusts a folder and what is in it, or does not. */
  set(folder: string, trust: 'trusted' | 'untrusted'): void;
  /** Returns all entries by the absolute path of the folder as JSON, for {@link createTrustedFolders} in the next run. */
  toJSON(): Record<string, 'trusted' | 'untrusted'>;
}

const shape = z.record(z.string(), z.enum(['trusted', 'untrusted']));

/**
 * Creates a list of trusted folders for the option `folderIsTrusted` of {@link createToolPolicy}.
 * @param saved A parsed result of {@link TrustedFolders.toJSON}. Default: an empty list.
 * @throws {FittingsError} `CONFIG_INVALID` if `saved` is malformed.
 * @example
 * ```ts
 * const folders = createTrustedFolders(saved);
 * folders.set(process.cwd(), 'trusted');
 * const policy = createToolPolicy({ servers, folderIsTrusted: () => folders.isTrusted(process.cwd()) });
 * ```
 */
export function createTrustedFolders(saved: unknown = {}): TrustedFolders {
  const initial = shape.safeParse(saved);
  if (!initial.success) {
    throw new FittingsError('CONFIG_INVALID', 'The saved list of trusted folders is malformed.', {
      cause: initial.error,
      hint: 'Delete it. The user will be asked again.',
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

/** Resolves symbolic links, so that a link from a trusted folder does not extend the trust. */
function realFolder(folder: string): string {
  const absolute = resolve(folder);
  try {
    return realpathSync.native(absolute);
  } catch {
    // The folder does not exist.
    return absolute;
  }
}
