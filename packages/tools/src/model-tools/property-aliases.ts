import { escapeText } from '@mcp-fittings/toolbox/text';
import { hashPair } from '../names/keys.js';
import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import { forEachSubschema, type Schema } from '../schema/subschemas.js';

/** A property name that every model API accepts. Anthropic rejects the whole request for any other. */
const ACCEPTED = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_LENGTH = 64;

/**
 * The names and values that a model sees instead of those of a server's schema that model APIs reject or that hold control or
 * invisible characters. A property name has the same alias everywhere in a schema.
 */
export class PropertyAliases {
  readonly #aliases = new Map<string, string>();
  #used = false;

  /** Finds the property names of a schema that need an alias. */
  constructor(root: JsonObject) {
    const names = new Set<string>();
    collectNames(root, names);
    const taken = new Set([...names].filter((name) => ACCEPTED.test(name)));
    for (const name of names) {
      if (ACCEPTED.test(name)) continue;
      const alias = createAlias(name, taken);
      taken.add(alias);
      this.#aliases.set(name, alias);
    }
  }

  /** True if a name or value was replaced so far. */
  get used(): boolean {
    return this.#used;
  }

  /** Returns the alias of a property name, or the name itself if it needs none. */
  property(name: string): string {
    return this.#shown(name, this.#aliases.get(name) ?? name);
  }

  /** Returns a value of `enum`, `const`, `default` or `examples` with its strings escaped and its keys aliased. */
  value(value: Json): Json {
    if (typeof value === 'string') return this.#shown(value, escapeText(value, { multiline: true }));
    if (isJsonObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          this.#shown(key, this.#aliases.get(key) ?? escapeText(key)),
          this.value(member),
        ]),
      );
    }
    return Array.isArray(value) ? value.map((element: Json) => this.value(element)) : value;
  }

  #shown(original: string, shown: string): string {
    if (original !== shown) this.#used = true;
    return shown;
  }
}

/** Returns the names that a schema knows: those that it describes, and those that it requires without a description. */
export function propertyNames({ properties, required }: JsonObject): readonly string[] {
  const described = isJsonObject(properties) ? Object.keys(properties) : [];
  if (!Array.isArray(required)) return described;
  return [...described, ...required.filter((name: Json) => typeof name === 'string')];
}

function collectNames(schema: Schema, names: Set<string>): void {
  if (typeof schema === 'boolean') return;
  for (const name of propertyNames(schema)) names.add(name);
  forEachSubschema(schema, (inner) => collectNames(inner, names));
}

function createAlias(name: string, taken: ReadonlySet<string>): string {
  const plain = name.slice(0, MAX_LENGTH).replace(/[^a-zA-Z0-9_.-]/gu, '_') || '_';
  if (plain.length <= MAX_LENGTH && name.length <= MAX_LENGTH && !taken.has(plain)) return plain;
  const hash = hashPair('property', name);
  for (let length = 6; ; length++) {
    const candidate = `${plain.slice(0, MAX_LENGTH - length - 1)}_${hash.slice(0, length)}`;
    if (!taken.has(candidate) || length >= hash.length) return candidate;
  }
}

/** Returns an equivalent regular expression without control or invisible characters. */
export function visiblePattern(pattern: string): string {
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
