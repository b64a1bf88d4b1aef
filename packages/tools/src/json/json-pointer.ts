import type { Json } from './copy-json.js';

/** Formats a path as a JSON Pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
export function formatPointer(path: readonly string[]): string {
  let pointer = '';
  for (const segment of path) pointer += `/${escapeSegment(segment)}`;
  return pointer;
}

function escapeSegment(segment: string): string {
  // A schema needs a pointer for each of its properties, and nearly none has such a character.
  if (!segment.includes('~') && !segment.includes('/')) return segment;
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Parses a JSON Pointer in a URI fragment. Returns undefined if it is malformed. */
export function parseFragment(fragment: string): readonly string[] | undefined {
  let text: string;
  try {
    text = decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the value at a path, or undefined if the path does not exist. */
export function valueAt(root: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an array can be indexed by a string
    value = (value as JsonMembers)[segment];
  }
  return value;
}

interface JsonMembers {
  readonly [key: string]: Json | undefined;
}
