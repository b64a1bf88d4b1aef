import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders of Homebrew, the same on every machine. */
const HOMEBREW = ['/opt/homebrew/bin', '/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin'];

/** Folders of uv and pipx, cargo, asdf, mise, volta and pyenv, below the home directory. */
const IN_HOME = [
  '.local/bin',
  '.cargo/bin',
  '.asdf/shims',
  '.asdf/bin',
  '.local/share/mise/shims',
  '.volta/bin',
  '.pyenv/shims',
];

/** Returns the folders where version managers and Homebrew put programs by default, whether they exist or not. */
export async function knownFolders(home: string): Promise<readonly string[]> {
  const nvm = await Promise.all(['.nvm', '.config/nvm'].map((folder) => nvmFolder(join(home, folder))));
  return [...IN_HOME.map((folder) => join(home, folder)), ...nvm.flat(), ...HOMEBREW];
}

/** Returns the folder of the version that `nvm alias default` names with numbers; else of the newest one. */
async function nvmFolder(nvm: string): Promise<readonly string[]> {
  const versions = join(nvm, 'versions', 'node');
  const installed = (await readdir(versions).catch(() => [])).filter((name) => /^v\d+\.\d+\.\d+$/.test(name));
  const alias = await readFile(join(nvm, 'alias', 'default'), 'utf8').catch(() => '');
  const [, wanted] = /^v?(\d+(?:\.\d+)*)\s*$/.exec(alias) ?? [];
  const newest = installed.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  const version = newest.find((name) => `${name}.`.startsWith(`v${wanted}.`)) ?? newest[0];
  return version === undefined ? [] : [join(versions, version, 'bin')];
}
