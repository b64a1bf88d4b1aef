import { createHash } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';

/** Everything outside of the command line that decides which servers are listed. Plain JSON. */
export interface Inputs {
  /** Files that were read or looked for, each with a mark of its state. A file that does not exist has none. */
  readonly files: Readonly<Record<string, string | null>>;
  /** Files that would make their folder the root of a project, and whether they exist. */
  readonly roots: Readonly<Record<string, boolean>>;
  /** Variables that entries use, each with a digest of its value. A variable that is not set has none. */
  readonly variables: Readonly<Record<string, string | null>>;
}

/** A file that was changed later than this before it was read may be changed again without another mark. Milliseconds. */
const SAME_MARK_MS = 2_000;

/**
 * Takes down the state of all inputs; undefined if a file was changed so shortly before `loadedAt`, when the configuration was
 * read, that this state is perhaps not the one that was read.
 */
export function readInputs(
  paths: { readonly files: Iterable<string>; readonly roots: Iterable<string> },
  variables: Iterable<string>,
  env: Readonly<Record<string, string | undefined>>,
  loadedAt: number,
): Inputs | undefined {
  const files: Record<string, string | null> = {};
  for (const path of paths.files) {
    const { mark, changedAt } = stateOf(path);
    if (changedAt > loadedAt - SAME_MARK_MS) return undefined;
    files[path] = mark;
  }
  return {
    files,
    roots: Object.fromEntries([...paths.roots].map((path) => [path, exists(path)])),
    variables: Object.fromEntries([...variables].map((name) => [name, digestOfVariable(env, name)])),
  };
}

/** Returns whether a value from a cache is what {@link readInputs} would return now. */
export function areUnchanged(
  { files, roots, variables }: Inputs,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return (
    Object.entries(files).every(([path, mark]) => stateOf(path).mark === mark) &&
    Object.entries(roots).every(([path, existed]) => exists(path) === existed) &&
    Object.entries(variables).every(([name, digest]) => digestOfVariable(env, name) === digest)
  );
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

function digestOfVariable(env: Readonly<Record<string, string | undefined>>, name: string): string | null {
  const value = env[name];
  return value === undefined ? null : createHash('sha256').update(value).digest('base64url');
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
