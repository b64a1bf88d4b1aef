import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { installedPackages } from '../../../../scripts/installed.mjs';
import { startServer } from './npx.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');

/** Puts into `node_modules` what is named, and nothing else; `ours` has the packages as they are published. */
const npm = (ours: string, typescript: string): string => `#!/bin/sh -e
[ "$1" = install ] || { echo "npm $*: not one of the lines that a page has" >&2; exit 1; }
[ -f package.json ] || echo '{}' > package.json
shift
for name in "$@"; do
  case "$name" in
    --save-dev) continue ;;
    @mcp-fittings/*) from="${ours}/node_modules/$name" ;;
    @types/node) from="${root}/node_modules/types-node-latest" ;;
    typescript) from="${root}/node_modules/${typescript}" ;;
    *) from="${root}/node_modules/$name" ;;
  esac
  [ -e "$from" ] || { echo "npm install: $name is not there" >&2; exit 1; }
  mkdir -p "$(dirname "node_modules/$name")"
  ln -s "$from" "node_modules/$name"
done
`;

/** The compiler that was installed; otherwise a server of the official ones. */
const npx = async (): Promise<string> => `#!/bin/sh -e
if [ "$1" = tsc ]; then shift; exec node node_modules/typescript/bin/tsc "$@"; fi
[ "$1" = -y ]
${await startServer()}`;

/** The empty folder of a reader who follows a page: `npm install` links instead of downloading, and that is all it changes. */
export interface ReaderProject extends AsyncDisposable {
  save(file: string, code: string): Promise<void>;
  /** Runs lines of a shell; resolves with what they wrote, rejects if one fails. */
  type(lines: string): Promise<string>;
}

export interface ReaderProjectOptions {
  /** What is in `package.json`; without it the project has no such file. */
  readonly manifest?: object;
  /** Which TypeScript `npm install typescript` gives: its folder in our `node_modules`. */
  readonly typescript: string;
}

export async function createReaderProject(options: ReaderProjectOptions): Promise<ReaderProject> {
  // Outside of every `node_modules`: only what the page installs is found.
  const place = await mkdtemp(join(tmpdir(), 'fittings-reader-'));
  const bin = join(place, 'bin');
  const folder = join(place, 'project');
  await mkdir(bin);
  await mkdir(folder);
  await writeFile(join(bin, 'npm'), npm(await installedPackages(), options.typescript), { mode: 0o755 });
  await writeFile(join(bin, 'npx'), await npx(), { mode: 0o755 });
  if (options.manifest) await writeFile(join(folder, 'package.json'), JSON.stringify(options.manifest));
  return {
    save: (file, code) => writeFile(join(folder, file), code),
    async type(lines) {
      const path = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
      const { stdout } = await run('/bin/sh', ['-e', '-c', lines], {
        cwd: folder,
        env: { ...process.env, PATH: path },
        timeout: 300_000,
      }).catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`${error.stdout}\n${error.stderr}`, { cause: error });
      });
      return stdout;
    },
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
  };
}
