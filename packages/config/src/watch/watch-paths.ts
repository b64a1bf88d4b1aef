import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/** Watches files that may not exist yet, in folders that may be created and deleted. */
export interface PathWatcher {
  /** Replaces the set of paths. Resolves to true if a new folder is watched, whose files may already have changed. */
  update(paths: readonly string[]): Promise<boolean>;
  close(): void;
}

/**
 * Calls `onEvent` when any of the paths may have changed. It watches folders, because editors replace a file by a new one
 * and a watch on the file would stay with the old one.
 */
export function createPathWatcher(onEvent: () => void, onError: (error: Error) => void): PathWatcher {
  const folders = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  let paths: readonly string[] = [];

  const concerns = (changed: string): boolean =>
    paths.some((path) => path === changed || path.startsWith(changed + sep));

  const open = (folder: string, inode: number): void => {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null || concerns(join(folder, name))) onEvent();
      });
      watcher.on('error', (error) => {
        forget(folder);
        onError(error);
      });
      folders.set(folder, { inode, watcher });
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const forget = (folder: string): void => {
    folders.get(folder)?.watcher.close();
    folders.delete(folder);
  };

  return {
    async update(next) {
      paths = next;
      const wanted = new Map<string, number>();
      for (const path of next) {
        for (const { folder, inode } of await foldersAbove(path)) wanted.set(folder, inode);
      }
      for (const [folder, { inode }] of folders) {
        // A folder of the same name may have replaced it.
        if (wanted.get(folder) !== inode) forget(folder);
      }
      const added = [...wanted].filter(([folder]) => !folders.has(folder));
      for (const [folder, inode] of added) open(folder, inode);
      return added.length > 0;
    },
    close() {
      for (const { watcher } of folders.values()) watcher.close();
      folders.clear();
    },
  };
}

/** The nearest existing folder of a path, and the one above it, in which it may be deleted and created again. */
async function foldersAbove(
  path: string,
): Promise<readonly { readonly folder: string; readonly inode: number }[]> {
  const found: { folder: string; inode: number }[] = [];
  for (let folder = dirname(path); found.length < 2; folder = dirname(folder)) {
    const stats = await stat(folder).catch(() => undefined);
    if (stats?.isDirectory() === true) found.push({ folder, inode: stats.ino });
    if (folder === dirname(folder)) break;
  }
  return found;
}
