import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/**
 * Watches files that may not exist yet, in folders that may be created and deleted, and calls `onEvent` when any of them may have
 * changed. It watches folders, because editors replace a file by a new one and a watch on the file would stay with the old one.
 */
export class PathWatcher {
  readonly #onEvent: () => void;
  readonly #onError: (error: Error) => void;
  readonly #folders = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  #paths: readonly string[] = [];

  constructor(onEvent: () => void, onError: (error: Error) => void) {
    this.#onEvent = onEvent;
    this.#onError = onError;
  }

  /** Replaces the set of paths. Resolves to true if a new folder is watched, whose files may already have changed. */
  async update(paths: readonly string[]): Promise<boolean> {
    this.#paths = paths;
    const wanted = new Map<string, number>();
    for (const path of paths) {
      for (const { folder, inode } of await foldersAbove(path)) wanted.set(folder, inode);
    }
    for (const [folder, { inode }] of this.#folders) {
      // A folder of the same name may have replaced it.
      if (wanted.get(folder) !== inode) this.#forget(folder);
    }
    const added = [...wanted].filter(([folder]) => !this.#folders.has(folder));
    for (const [folder, inode] of added) this.#open(folder, inode);
    return added.length > 0;
  }

  close(): void {
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #open(folder: string, inode: number): void {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null || this.#concerns(join(folder, name))) this.#onEvent();
      });
      watcher.on('error', (error) => {
        this.#forget(folder);
        this.#onError(error);
      });
      this.#folders.set(folder, { inode, watcher });
    } catch (error) {
      this.#onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
  }

  #concerns(changed: string): boolean {
    return this.#paths.some((path) => path === changed || path.startsWith(changed + sep));
  }
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
