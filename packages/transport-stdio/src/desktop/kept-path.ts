import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@mcp-fittings/client-core';
import {
  ensurePrivateDirectory,
  ownFolder,
  readPrivateFile,
  writePrivateFile,
} from '@mcp-fittings/toolbox/files';
import { isRecord, parseJson } from '@mcp-fittings/toolbox/messages';
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

/** A login shell, and what its answer depends on. */
interface AskedShell {
  readonly home: string;
  readonly shell: string;
  /** PATH that the shell begins with. */
  readonly inherited: string;
  readonly clock: Clock;
}

/**
 * Resolves with the PATH that a login shell said before, or else with that of `ask`, which is then kept: for a day, and until a startup file
 * changes. The file is one that only this user can read and replace: another user who could write it would choose the programs that run. A file
 * that cannot be used is left as it is.
 */
export async function keptPath(
  { home, shell, inherited, clock }: AskedShell,
  ask: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const directory = join(ownFolder('cache', home), 'desktop');
  const key = JSON.stringify([shell, inherited, await changesIn(home)]);
  const kept = parseJson((await readPrivateFile(join(directory, FILE)).catch(() => undefined)) ?? '');
  if (isRecord(kept) && kept['key'] === key && typeof kept['path'] === 'string') {
    const { askedAt, path } = kept;
    if (typeof askedAt === 'number' && isRecent(askedAt, DAY_MS, clock.now())) return path;
  }
  const askedAt = clock.now();
  const path = await ask();
  if (path !== undefined) {
    await ensurePrivateDirectory(directory)
      .then(() => writePrivateFile(directory, FILE, JSON.stringify({ key, askedAt, path })))
      .catch(() => undefined);
  }
  return path;
}

/** Returns when {@link CHANGING} were last changed, in their order. */
function changesIn(home: string): Promise<readonly (number | null)[]> {
  return Promise.all(
    CHANGING.map((name) =>
      stat(join(home, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => null,
      ),
    ),
  );
}
