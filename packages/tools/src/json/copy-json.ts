/** A value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  /** The value of a member, by its key. */
  readonly [key: string]: Json;
}

/** The largest JSON value that is accepted from a server or a model. A larger one is rejected before it is parsed further. */
export interface JsonLimits {
  /** Maximum levels of nested objects and arrays. */
  readonly maxDepth: number;
  /** Maximum number of values, counting every object, array and scalar. */
  readonly maxNodes: number;
  /** Maximum characters (UTF-16 code units) of all strings and keys together. */
  readonly maxCharacters: number;
}

/** A copy within the limits, with its size. */
export interface AcceptedJson {
  readonly value: Json;
  readonly nodes: number;
  readonly characters: number;
  readonly problem?: undefined;
}

export type JsonCopy = AcceptedJson | { readonly problem: string };

/**
 * Copies an untrusted value, or says why it cannot be copied: it is too deep (or cyclic), too large, or holds a value that
 * JSON cannot represent. Objects of the copy have no prototype, so `__proto__` is an ordinary key. As in `JSON.stringify`,
 * members that are undefined are omitted.
 */
export function copyJson(value: unknown, limits: JsonLimits): JsonCopy {
  const copier = new Copier(limits);
  try {
    const copied = copier.copy(value, 0);
    const { nodes, characters } = copier;
    return { value: copied, nodes, characters };
  } catch (error) {
    if (error instanceof Unacceptable) return { problem: error.message };
    // A getter or a proxy of an in-process server threw.
    return { problem: 'cannot be read' };
  }
}

class Unacceptable extends Error {}

const NOT_JSON = 'holds a value that JSON cannot represent';

class Copier {
  readonly #limits: JsonLimits;
  characters = 0;
  nodes = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  copy(value: unknown, depth: number): Json {
    if (++this.nodes > this.#limits.maxNodes) {
      throw new Unacceptable(`holds more than ${this.#limits.maxNodes} values`);
    }
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value !== 'object') throw new Unacceptable(NOT_JSON);
    if (depth >= this.#limits.maxDepth) {
      throw new Unacceptable(`is nested deeper than ${this.#limits.maxDepth} levels`);
    }
    if (Array.isArray(value)) {
      // A sparse array counts at its full length.
      if (value.length > this.#limits.maxNodes) {
        throw new Unacceptable(`holds more than ${this.#limits.maxNodes} values`);
      }
      const list: Json[] = [];
      const { length } = value;
      for (let index = 0; index < length; index++) {
        const element: unknown = value[index];
        list.push(this.copy(element ?? null, depth + 1));
      }
      return list;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw new Unacceptable(NOT_JSON);
    }
    const copied = emptyObject<Json>();
    const keys = Object.keys(value);
    // Rejects an object of three million keys before reading any of them.
    if (keys.length > this.#limits.maxNodes) {
      throw new Unacceptable(`holds more than ${this.#limits.maxNodes} values`);
    }
    for (const key of keys) {
      const member: unknown = Reflect.get(value, key);
      if (member !== undefined) copied[this.#text(key)] = this.copy(member, depth + 1);
    }
    return copied;
  }

  #text(text: string): string {
    this.characters += text.length;
    if (this.characters > this.#limits.maxCharacters) {
      throw new Unacceptable(`holds more than ${this.#limits.maxCharacters} characters`);
    }
    return text;
  }
}

/** Creates an object without a prototype, in which `__proto__` is an ordinary key. */
function emptyObject<Value>(): Record<string, Value> {
  const object: Record<string, Value> = Object.create(null);
  return object;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The types of JSON values that a JSON Schema tells apart; an integer is a number. */
export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** In the order in which a person writes a union: `string | null`. */
export const JSON_TYPES: readonly JsonType[] = ['object', 'array', 'string', 'number', 'boolean', 'null'];
export const ALL_TYPES: ReadonlySet<JsonType> = new Set(JSON_TYPES);

export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}
