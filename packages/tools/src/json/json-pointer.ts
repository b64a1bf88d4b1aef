import type { Json } from './copy-json.js';

/** @see https://www.rfc-editor.org/rfc/rfc6901 */
export function pointerOf(path: readonly string[]): string {
  return path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The path that a URI fragment names; undefined when it is malformed. */
export function pathOfFragment(fragment: string): readonly string[] | undefined {
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

/** The value at that path; undefined when there is none. */
export function valueAt(root: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list may be read by the text of its index
    value = (value as JsonMembers)[segment];
  }
  return value;
}

interface JsonMembers {
  readonly [key: string]: Json | undefined;
}
