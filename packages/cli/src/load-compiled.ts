import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname } from 'node:path';
import { Script } from 'node:vm';

/** A file of this program that was loaded. */
export interface CompiledFile<T> {
  readonly exports: T;
  /** Keeps the code that this run has compiled for the next one, when the process exits. Call it when the file has done its work. */
  readonly keep: () => void;
}

/**
 * Loads a CommonJS file beside this one, and the files beside it that it requires, with the code that an earlier run has compiled: to
 * compile `call-local.cjs` takes a third of the time of Node.js itself. `module.enableCompileCache()` does the same from Node.js 22 on,
 * and takes longer.
 *
 * The code runs as it is found, so it lies in the account's own home directory, whatever `HOME` says, in a file that only its owner
 * can read and write. It belongs to one state of one file; V8 rejects that of another version or with other flags.
 * @param name - of the file, without `.cjs`
 * @param otherwise - loads it in a build that was not published, which has no such file
 * @param place - other folders, for tests
 */
export async function loadCompiled<T>(
  name: string,
  otherwise: () => Promise<T>,
  { folder = import.meta.dirname, codeFolder = accountCodeFolder() } = {},
): Promise<CompiledFile<T>> {
  const modules = new Map<string, { exports: unknown }>();
  const compiled: { readonly cache: string; readonly mark: string; readonly script: Script }[] = [];
  const load = (file: string, mark: string): unknown => {
    const cache = codeFolder && `${codeFolder}/${basename(file, '.cjs')}-${process.version}.bin`;
    const cachedData = cache === undefined ? undefined : readCache(cache, mark);
    // It has no characters beyond Latin 1.
    const script = new Script(`${WRAPPER[0]}${readFileSync(file, 'latin1')}${WRAPPER[1]}`, {
      filename: file,
      cachedData,
    });
    const isKnown = cachedData !== undefined && script.cachedDataRejected === false;
    if (cache !== undefined && !isKnown) compiled.push({ cache, mark, script });
    const loaded: { exports: unknown } = { exports: {} };
    modules.set(file, loaded);
    const run: unknown = script.runInThisContext();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `wrap` makes of a file
    (run as CommonJs)(loaded.exports, requireFrom(file), loaded, file, folder);
    return loaded.exports;
  };
  const requireFrom = (file: string): CommonJsRequire => {
    // Few files require more than modules of Node.js, which need no loader.
    let loader: NodeJS.Require | undefined;
    const others = (): NodeJS.Require =>
      (loader ??= process.getBuiltinModule('node:module').createRequire(file));
    const own = (id: string): unknown => {
      if (!OWN_FILE.test(id)) return process.getBuiltinModule(id) ?? others()(id);
      const path = `${folder}/${id.slice(2)}`;
      const known = modules.get(path);
      const mark = known === undefined ? markOf(path) : undefined;
      return known !== undefined ? known.exports : mark === undefined ? others()(id) : load(path, mark);
    };
    return Object.assign(own, { resolve: (id: string) => others().resolve(id) });
  };
  const file = `${folder}/${name}.cjs`;
  const mark = markOf(file);
  if (mark === undefined) return { exports: await otherwise(), keep: () => undefined };
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the file that `otherwise` loads
    exports: load(file, mark) as T,
    keep() {
      process.on('exit', () => {
        for (const each of compiled) writeCache(each.cache, each.mark, each.script.createCachedData());
      });
    },
  };
}

/** What a file of this program requires of the others. Code that was kept has no `import()`, so the file that imports is left to Node.js. */
const OWN_FILE = /^\.\/(?!native-import)[\w-]+\.cjs$/;

/** What `Module.wrap` puts around a CommonJS file. To load `node:module` takes 0.7 ms. */
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'] as const;

/** What a file of this program uses of `require`. */
type CommonJsRequire = ((id: string) => unknown) & { readonly resolve: (id: string) => string };

type CommonJs = (
  exports: unknown,
  require: CommonJsRequire,
  module: object,
  file: string,
  folder: string,
) => void;

/** The state of the file comes first, in so many bytes: V8 wants its data aligned. */
const MARK_BYTES = 1024;

/** Returns a text that differs if the file does; undefined if there is no such file. Packages are unpacked with the same times. */
function markOf(file: string): string | undefined {
  const state = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (state === undefined) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = state;
  return JSON.stringify([file, `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`, process.version, process.arch]);
}

function accountCodeFolder(): string | undefined {
  try {
    return `${userInfo().homedir}/.cache/mcp-fittings/code`;
  } catch {
    // The account has no home directory.
    return undefined;
  }
}

function readCache(path: string, mark: string): Buffer | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const { uid, mode } = fstatSync(file);
      const own = process.getuid?.();
      if (own !== undefined && (uid !== own || (mode & 0o077) !== 0)) return undefined;
      const bytes = readFileSync(file);
      const isSame = bytes.toString('utf8', 0, MARK_BYTES).trimEnd() === mark;
      return isSame ? bytes.subarray(MARK_BYTES) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    // The file does not exist yet.
    return undefined;
  }
}

function writeCache(path: string, mark: string, code: Buffer): void {
  const head = Buffer.alloc(MARK_BYTES, ' ');
  if (head.write(mark) < Buffer.byteLength(mark)) return;
  const fresh = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // On the disk before it has its name: V8 checks the length of its data, and not every byte.
    writeFileSync(fresh, Buffer.concat([head, code]), { mode: 0o600, flag: 'wx', flush: true });
    renameSync(fresh, path);
  } catch {
    // The next run compiles it again.
    rmSync(fresh, { force: true });
  }
}
