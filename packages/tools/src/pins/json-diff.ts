import { isRecord } from '@mcp-fittings/toolbox/messages';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import { formatPointer } from '../json/json-pointer.js';

/** One place where two JSON values differ. A value that is undefined is missing there. */
export interface JsonChange {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Most changes that are listed; the others are counted. */
const MAX_LISTED = 200;
/** Values that are compared one by one. What is below is one change. */
const MAX_NODES = 50_000;
const MAX_DEPTH = 64;

/** Compares two JSON values. Lists of plain values are compared as sets, because that is what `required` and `enum` are. */
export function diffJson(
  before: unknown,
  after: unknown,
): { readonly changes: readonly JsonChange[]; readonly more: number } {
  const changes: JsonChange[] = [];
  let more = 0;
  let nodes = 0;
  const add = (path: readonly string[], from: unknown, to: unknown): void => {
    if (changes.length >= MAX_LISTED) more++;
    else changes.push({ pointer: formatPointer(path), before: from, after: to });
  };
  const compare = (from: unknown, to: unknown, path: readonly string[]): void => {
    nodes++;
    if (from === to) return;
    const isTooMuch = nodes > MAX_NODES || path.length >= MAX_DEPTH;
    if (isTooMuch || !isObject(from) || !isObject(to) || Array.isArray(from) !== Array.isArray(to)) {
      if (canonicalJson(from) !== canonicalJson(to)) add(path, from, to);
      return;
    }
    if (Array.isArray(from) && Array.isArray(to) && [...from, ...to].every((each) => !isObject(each))) {
      compareSets(from, to, (removed, added) => add(path, removed, added));
      return;
    }
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      compare(own(from, key), own(to, key), [...path, key]);
    }
  };
  compare(before, after, []);
  return { changes, more };
}

/** Reports what is only in one of two lists; the whole lists if they differ in their order alone. */
function compareSets(
  before: readonly unknown[],
  after: readonly unknown[],
  report: (removed: unknown, added: unknown) => void,
): void {
  const [old, now] = [new Set(before), new Set(after)];
  const removed = before.filter((each) => !now.has(each));
  const added = after.filter((each) => !old.has(each));
  if (removed.length + added.length > 0) {
    report(removed.length === 0 ? undefined : removed, added.length === 0 ? undefined : added);
  } else if (canonicalJson(before) !== canonicalJson(after)) report(before, after);
}

const isObject = (value: unknown): value is object => isRecord(value) || Array.isArray(value);

const own = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (Reflect.get(value, key) as unknown) : undefined;
