import { canonicalJson } from '@mcp-fittings/toolbox/text';
import { applyEdits } from 'jsonc-parser';
import { removeValue, setValue } from './edit-document.js';
import { type JsonValue, isJsonObject } from './json-value.js';
import { parseDocument } from './parse-document.js';

/** Sets the value at `keys`; removes it if `value` is undefined. */
export interface ValueChange {
  readonly keys: readonly string[];
  readonly value: JsonValue | undefined;
}

/** The smallest changes that turn one value into another, so that comments inside of it are kept. */
export function diffValues(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  keys: readonly string[],
): readonly ValueChange[] {
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after))
    return [];
  if (!isJsonObject(before) || !isJsonObject(after)) return [{ keys, value: after }];
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...removed.map((key) => ({ keys: [...keys, key], value: undefined })),
    ...Object.entries(after).flatMap(([key, value]) =>
      diffValues(Object.hasOwn(before, key) ? before[key] : undefined, value, [...keys, key]),
    ),
  ];
}

/** Applies changes to a text in order. Returns undefined if the text is not JSON or a value on the way is not an object. */
export function applyChanges(
  text: string,
  file: string,
  changes: readonly ValueChange[],
): string | undefined {
  let current = text;
  for (const { keys, value } of changes) {
    const parsed = parseDocument(current, file);
    if ('problem' in parsed) return undefined;
    const edits =
      value === undefined ? removeValue(parsed.document, keys) : setValue(parsed.document, keys, value);
    if (edits === undefined) return undefined;
    current = applyEdits(current, [...edits]);
  }
  return 'problem' in parseDocument(current, file) ? undefined : current;
}
