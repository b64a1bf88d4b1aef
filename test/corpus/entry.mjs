/** What starts a server of the corpus: a host's entry, with a home directory of its own and made-up tokens. */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SERVERS } from './servers.mjs';

const here = import.meta.dirname;
/** The home directory of the servers. */
const HOME = join(here, '.home');

/** The entry of a server of servers.mjs, and the version of its package. Throws if the package is not installed. */
export function entryOf(name) {
  const { package: packageName, args = [], env = {} } = SERVERS[name];
  const { version, program } = programOf(packageName);
  mkdirSync(HOME, { recursive: true });
  return {
    version,
    entry: {
      command: process.execPath,
      args: [program, ...args],
      cwd: HOME,
      env: { HOME, XDG_CONFIG_HOME: HOME, CI: '1', DO_NOT_TRACK: '1', NO_COLOR: '1', ...env },
    },
  };
}

/** The file that a package runs as a command, and its version. */
function programOf(packageName) {
  const manifest = join(here, 'node_modules', packageName, 'package.json');
  const { version, bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0];
  return { version, program: join(dirname(manifest), file) };
}
