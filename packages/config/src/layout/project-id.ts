import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isInside, readTextFile } from '../files/read-file.js';

const POINTER_RULES = { maxBytes: 4096 };

/**
 * Returns an id that all worktrees of a repository share. A worktree counts only if the repository points back at it, so
 * that an unpacked archive cannot pretend to be a project that was approved.
 */
export async function projectId(options: {
  /** Real path of the project. */
  readonly root: string;
  /** The project and the folders above it that may contain its `.git`, nearest first. */
  readonly folders: readonly string[];
  readonly platform: NodeJS.Platform;
}): Promise<string> {
  for (const top of options.folders) {
    const dotGit = join(top, '.git');
    const kind = await stat(dotGit).catch(() => undefined);
    if (kind === undefined) continue;
    const main = kind.isFile() ? await mainFolder(dotGit) : undefined;
    return pathId(
      main === undefined ? options.root : join(main, relative(top, options.root)),
      options.platform,
    );
  }
  return pathId(options.root, options.platform);
}

/** The id of a path. It ignores case on platforms whose file systems usually do. */
export function pathId(path: string, platform: NodeJS.Platform): string {
  const folded = platform === 'win32' || platform === 'darwin' ? path.normalize('NFC').toLowerCase() : path;
  const spelled = platform === 'win32' ? folded.replaceAll('\\', '/') : folded;
  return createHash('sha256').update(spelled).digest('hex').slice(0, 32);
}

/** The main working tree of the repository that a worktree's `.git` file belongs to. */
async function mainFolder(dotGit: string): Promise<string | undefined> {
  const pointer = /^gitdir: (.+)$/m.exec((await readLine(dotGit)) ?? '')?.[1];
  if (pointer === undefined) return undefined;
  const administration = isAbsolute(pointer) ? pointer : resolve(dirname(dotGit), pointer);
  const backPointer = await readLine(join(administration, 'gitdir'));
  const common = await readLine(join(administration, 'commondir'));
  if (backPointer === undefined || common === undefined) return undefined;
  try {
    const repository = await realpath(resolve(administration, common));
    const belongs = isInside(await realpath(administration), join(repository, 'worktrees'));
    const pointsBack = (await realpath(resolve(administration, backPointer))) === (await realpath(dotGit));
    // A bare repository has no working tree, so the repository itself stands for it.
    return belongs && pointsBack ? repository.replace(/[/\\]\.git$/, '') : undefined;
  } catch {
    return undefined;
  }
}

async function readLine(path: string): Promise<string | undefined> {
  const outcome = await readTextFile(path, POINTER_RULES);
  return outcome.kind === 'text' ? outcome.text.trim() : undefined;
}
