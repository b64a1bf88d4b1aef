import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@mcp-fittings/client-core';
import { ensurePrivateDirectory, readPrivateFile, writePrivateFile } from '@mcp-fittings/toolbox/files';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isRecent } from '@mcp-fittings/toolbox/timing';

const FILE = 'login-path.json';
const DAY_MS = 24 * 60 * 60 * 1000;

/** Files and folders that change when a person sets up a version manager, or installs a version with nvm. */
const CHANGING = [
  '.profile',
  '.bash_profile',
  '.bash_login',
  '.bashrc',
  '.zshenv',
  '.zprofile',
  '.zshrc',
  '.zlogin',
  '.config/fish/config.fish',
  '.config/fish/conf.d',
  '.nvm/alias/default',
  '.nvm/versions/node',
];

/** Answer of a login shell, as it is kept. */
interface KeptPath {
  readonly shell: string;
  /** The PATH that the shell was started with, which is a part of its answer. */
  readonly inherited: string;
  readonly askedAt: number;
  /** Times at which {@link CHANGING} were last changed, in their order. */
  readonly changes: readonly (number | null)[];
  readonly path: string;
}

interface PathFileOptions extends Pick<KeptPath, 'shell' | 'inherited'> {
  readonly home: string;
  readonly clock: Clock;
}

/**
 * Keeps what a login shell said in a file that only this user can read and replace: another user who could write it would choose the programs that
 * run. It is kept for a day, and until a startup file changes.
 */
export class PathFile {
  readonly #directory: string;
  readonly #home: string;
  readonly #shell: string;
  readonly #inherited: string;
  readonly #clock: Clock;

  constructor({ home, shell, inherited, clock }: PathFileOptions) {
    this.#directory = join(cacheFolder(home), 'desktop');
    this.#home = home;
    this.#shell = shell;
    this.#inherited = inherited;
    this.#clock = clock;
  }

  /** Returns the PATH that is kept, or else that of `ask`, which is then kept. A file that cannot be used is left as it is. */
  async getOr(ask: () => Promise<string | undefined>): Promise<string | undefined> {
    const changes = await this.#changes();
    const kept = await this.#read().catch(() => undefined);
    if (kept !== undefined && JSON.stringify(kept.changes) === JSON.stringify(changes)) return kept.path;
    const askedAt = this.#clock.now();
    const path = await ask();
    if (path !== undefined) {
      const record: KeptPath = { shell: this.#shell, inherited: this.#inherited, askedAt, changes, path };
      await this.#write(record).catch(() => undefined);
    }
    return path;
  }

  async #read(): Promise<KeptPath | undefined> {
    const text = await readPrivateFile(join(this.#directory, FILE));
    const record: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isRecord(record)) return undefined;
    const { shell, inherited, askedAt, changes, path } = record;
    if (shell !== this.#shell || inherited !== this.#inherited) return undefined;
    if (typeof askedAt !== 'number' || typeof path !== 'string') return undefined;
    if (!Array.isArray(changes) || !isRecent(askedAt, DAY_MS, this.#clock.now())) return undefined;
    return { shell, inherited, askedAt, changes, path };
  }

  async #write(record: KeptPath): Promise<void> {
    await ensurePrivateDirectory(this.#directory);
    await writePrivateFile(this.#directory, FILE, JSON.stringify(record));
  }

  #changes(): Promise<readonly (number | null)[]> {
    return Promise.all(
      CHANGING.map((name) =>
        stat(join(this.#home, name)).then(
          ({ mtimeMs }) => mtimeMs,
          () => null,
        ),
      ),
    );
  }
}

/** No variable changes the folder, because a project's `.env` could set one. */
function cacheFolder(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'mcp-fittings');
  return join(home, '.cache', 'mcp-fittings');
}
