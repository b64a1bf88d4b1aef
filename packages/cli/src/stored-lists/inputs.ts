import { lstatSync, statSync } from 'node:fs';

/** Everything outside of the command line that decides which servers are listed. Plain JSON. */
export interface Inputs {
  /** Files that were read or looked for, each with a mark of its state. A file that does not exist has none. */
  readonly files: Readonly<Record<string, string | null>>;
  /** Files that would make their folder the root of a project, and whether they exist. */
  readonly roots: Readonly<Record<string, boolean>>;
  /** Where programs are looked for. */
  readonly path: string | null;
  /** Variables that entries use, each with a digest of its value. A variable that is not set has none. */
  readonly variables: Readonly<Record<string, string | null>>;
}

/** A file that was changed later than this before it was read may be changed again without another mark. Milliseconds. */
const SAME_MARK_MS = 2_000;

/**
 * Takes down the state of all inputs; undefined if a file was changed so shortly before `loadedAt`, when the configuration was
 * read, that this state is perhaps not the one that was read.
 */
export async function readInputs(
  paths: { readonly files: Iterable<string>; readonly roots: Iterable<string> },
  variables: Iterable<string>,
  env: Readonly<Record<string, string | undefined>>,
  loadedAt: number,
): Promise<Inputs | undefined> {
  const files: Record<string, string | null> = {};
  for (const path of paths.files) {
    const { mark, changedAt } = stateOf(path);
    if (changedAt > loadedAt - SAME_MARK_MS) return undefined;
    files[path] = mark;
  }
  return {
    files,
    roots: Object.fromEntries([...paths.roots].map((path) => [path, exists(path)])),
    path: env['PATH'] ?? null,
    variables: await digestsOf(variables, env),
  };
}

/** Resolves with whether a value from a cache is what {@link readInputs} would return now. */
export async function areUnchanged(
  { files, roots, path, variables }: Inputs,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const isSame =
    path === (env['PATH'] ?? null) &&
    Object.entries(files).every(([file, mark]) => stateOf(file).mark === mark) &&
    Object.entries(roots).every(([file, existed]) => exists(file) === existed);
  if (!isSame) return false;
  const digests = await digestsOf(Object.keys(variables), env);
  return Object.entries(variables).every(([name, digest]) => digests[name] === digest);
}

/** Returns a mark that differs whenever the content, the owner or the mode of a file does; null if there is no such file. */
export function markOf(path: string): string | null {
  return stateOf(path).mark;
}

function stateOf(path: string): { readonly mark: string | null; readonly changedAt: number } {
  try {
    const { dev, ino, size, mode, uid, mtimeNs, ctimeNs, ctimeMs } = statSync(path, { bigint: true });
    const mark = [dev, ino, size, mode, uid, mtimeNs, ctimeNs].join(' ');
    return { mark, changedAt: Number(ctimeMs) };
  } catch {
    return { mark: null, changedAt: 0 };
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function digestsOf(
  names: Iterable<string>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string | null>> {
  const set = [...names].map((name) => [name, env[name]] as const);
  if (set.length === 0) return {};
  // 3 to 5 ms, a tenth of a list from memory, and most entries use no variables.
  const { createHash } = await import('node:crypto');
  const digest = (value: string): string => createHash('sha256').update(value).digest('base64url');
  return Object.fromEntries(set.map(([name, value]) => [name, value === undefined ? null : digest(value)]));
}

/** Wraps variables so that `read` has the names of those that were looked up. */
export function recordVariables(env: Readonly<Record<string, string | undefined>>): {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly read: ReadonlySet<string>;
} {
  const read = new Set<string>();
  const note = (name: string | symbol): void => {
    if (typeof name === 'string') read.add(name);
  };
  return {
    read,
    env: new Proxy(env, {
      get(target, name) {
        note(name);
        return Reflect.get(target, name);
      },
      has(target, name) {
        note(name);
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor(target, name) {
        note(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      ownKeys(target) {
        for (const name of Reflect.ownKeys(target)) note(name);
        return Reflect.ownKeys(target);
      },
    }),
  };
}
