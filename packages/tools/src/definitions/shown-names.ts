import { escapeText } from '@mcp-fittings/client-core/text';
import { hashOfPair } from '../names/short-hash.js';
import { isJsonObject, type Json, type JsonObject } from '../schema/plain-copy.js';
import { subschemas, type Schema } from '../schema/subschemas.js';

/** What every model API accepts as the name of a property; Anthropic refuses the whole request for any other. */
const USABLE = /^[a-zA-Z0-9_.-]{1,64}$/;
const LONGEST = 64;

/**
 * What a model sees instead of names and values of a server that it cannot be shown: names that model APIs refuse, and
 * texts with control or invisible characters. One name of a schema is shown as one name, everywhere in it.
 */
export interface ShownNames {
  /** As the model sees this name of a property. */
  property(name: string): string;
  /** A value of `enum`, `const`, `default` or `examples` as the model sees it. */
  value(value: Json): Json;
  /** A regular expression that means the same, without control or invisible characters. */
  pattern(pattern: string): string;
  /** Whether any property has another name. */
  readonly renames: boolean;
}

export function createShownNames(root: JsonObject): ShownNames {
  const names = new Set<string>();
  collectNames(root, names);
  const taken = new Set([...names].filter((name) => USABLE.test(name)));
  const shown = new Map<string, string>();
  for (const name of names) {
    if (USABLE.test(name)) continue;
    const usable = usableName(name, taken);
    taken.add(usable);
    shown.set(name, usable);
  }
  const property = (name: string): string => shown.get(name) ?? name;
  const value = (data: Json): Json => {
    if (typeof data === 'string') return escapeText(data, { multiline: true });
    if (isJsonObject(data)) {
      return Object.fromEntries(
        Object.entries(data).map(([key, member]) => [shown.get(key) ?? escapeText(key), value(member)]),
      );
    }
    return Array.isArray(data) ? data.map((element: Json) => value(element)) : data;
  };
  return { property, value, pattern: visiblePattern, renames: shown.size > 0 };
}

function collectNames(schema: Schema, names: Set<string>): void {
  if (typeof schema === 'boolean') return;
  const { properties } = schema;
  if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
  for (const [, inner] of subschemas(schema)) collectNames(inner, names);
}

function usableName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.slice(0, LONGEST).replace(/[^a-zA-Z0-9_.-]/gu, '_') || '_';
  if (plain.length <= LONGEST && name.length <= LONGEST && !taken.has(plain)) return plain;
  const hash = hashOfPair('property', name);
  for (let length = 6; ; length++) {
    const candidate = `${plain.slice(0, LONGEST - length - 1)}_${hash.slice(0, length)}`;
    if (!taken.has(candidate) || length >= hash.length) return candidate;
  }
}

function visiblePattern(pattern: string): string {
  let text = '';
  let escaping = false;
  for (const character of pattern) {
    if (escapeText(character) === character) {
      text += character;
      escaping = character === '\\' && !escaping;
      continue;
    }
    const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at)));
    text += `${escaping ? '' : '\\'}${units.join('\\')}`;
    escaping = false;
  }
  return text;
}

const hex = (unit: number): string => `u${unit.toString(16).padStart(4, '0')}`;
