/**
 * All public packages as they are published, in a folder inside of `node_modules` from where the packages of others are found:
 * for tests and measurements of what a user installs. Made once for each build.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, freshFolder, isKept } from './cache-folder.mjs';
import { stage } from './stage.mjs';
import { publicPackages } from './workspace.mjs';

const ROOT = join(import.meta.dirname, '..');

/** @returns the folder whose `node_modules` they are in. */
export async function installedPackages() {
  const folder = join(CACHE, `installed-${fingerprint()}`);
  if (isKept(folder)) return folder;
  const fresh = freshFolder();
  await installInto(join(fresh, 'node_modules'));
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function installInto(modules) {
  for (const { folder, manifest } of publicPackages(ROOT)) {
    const source = join(ROOT, 'packages', folder);
    const target = join(modules, manifest.name);
    await stage(source, target);
    const own = join(source, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(target, 'node_modules'), 'junction');
  }
}

/** Of everything that was built: a new build, a new folder. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const { folder } of publicPackages(ROOT)) {
    const dist = join(ROOT, 'packages', folder, 'dist');
    const built = readdirSync(dist, { recursive: true }).map((name) => join(dist, name));
    for (const file of [...built, join(dist, '../package.json')]) {
      const { size, mtimeMs } = statSync(file);
      hash.update(`${file} ${size} ${mtimeMs}\n`);
    }
  }
  for (const script of ['stage.mjs', 'stage-program.mjs'])
    hash.update(String(statSync(join(import.meta.dirname, script)).mtimeMs));
  return hash.digest('hex').slice(0, 16);
}
