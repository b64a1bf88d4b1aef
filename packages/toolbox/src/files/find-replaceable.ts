import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;
/** The limit of Linux. */
const MAX_LINKS = 40;

/**
 * Finds the directory or the link that lets another user replace a file or a directory, and says what is wrong with it: checks each directory
 * on the path, up to the root. It has to belong to this user or to root, and must not be writable by a group or by everyone, who could rename
 * its entries; with the sticky bit, as in /tmp, only the owner can. These are the rules of OpenSSH's `StrictModes`. They apply to a link on the
 * path too, and to the path that it leads to; `..` is the parent of what a link leads to, as for the system. The check ends where nothing
 * exists. Returns undefined if no other user can, and on Windows.
 */
export function findReplaceable(path: string): { readonly at: string; readonly fact: string } | undefined {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  let at: string = sep;
  let rest = namesIn(isAbsolute(path) ? path : `${process.cwd()}${sep}${path}`);
  for (let links = 0; ;) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    const isTrusted = stats?.uid === user || stats?.uid === ROOT;
    if (stats?.isSymbolicLink() === true) {
      if (!isTrusted) return { at, fact: `is a link of user ${stats.uid}` };
      if (++links > MAX_LINKS) return { at, fact: 'leads through too many symbolic links' };
      const target = readlinkSync(at);
      rest = [...namesIn(target), ...rest];
      at = isAbsolute(target) ? sep : dirname(at);
      continue;
    }
    const [name, ...others] = rest;
    if (stats?.isDirectory() !== true || name === undefined) return undefined;
    if (!isTrusted) return { at, fact: `belongs to user ${stats.uid}` };
    if ((stats.mode & WRITABLE_BY_OTHERS) !== 0 && (stats.mode & STICKY) === 0)
      return { at, fact: `has mode ${(stats.mode & 0o7777).toString(8).padStart(4, '0')}` };
    at = join(at, name);
    rest = others;
  }
}

function namesIn(path: string): readonly string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.');
}
