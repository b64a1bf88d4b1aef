/** What JSON can express. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** An object of JSON. */
export interface JsonObject {
  /** By key. */
  readonly [key: string]: Json;
}

export interface JsonLimits {
  /** Levels of nesting. */
  readonly maxDepth: number;
  /** Values in all: objects, lists and what is in them. */
  readonly maxNodes: number;
  /** Characters of all texts and keys together. */
  readonly maxCharacters: number;
}

export type PlainCopy =
  | {
      readonly value: Json;
      readonly nodes: number;
      readonly characters: number;
      readonly problem?: undefined;
    }
  | { readonly problem: string };

/**
 * Copies a value that a stranger made into plain data, or says why it can't: too deep (or cyclic), too big, or
 * nothing that JSON can express. Objects of the copy have no prototype, so that no key means more than a key. As in
 * `JSON.stringify`, members that are undefined are left out.
 */
export function plainCopy(value: unknown, limits: JsonLimits): PlainCopy {
  const copier = new Copier(limits);
  try {
    return { value: copier.copy(value, 0), nodes: copier.nodes, characters: copier.characters };
  } catch (error) {
    if (error instanceof Unacceptable) return { problem: error.message };
    // A getter or a proxy of an in-process server threw.
    return { problem: 'can not be read' };
  }
}

class Unacceptable extends Error {}

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
    if (typeof value !== 'object') throw new Unacceptable('holds something that JSON can not express');
    if (depth >= this.#limits.maxDepth) {
      throw new Unacceptable(`is nested deeper than ${this.#limits.maxDepth} levels`);
    }
    if (Array.isArray(value)) {
      // A list with holes counts at its full length.
      if (value.length > this.#limits.maxNodes) {
        throw new Unacceptable(`holds more than ${this.#limits.maxNodes} values`);
      }
      return Array.from(value, (element: unknown) => this.copy(element ?? null, depth + 1));
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw new Unacceptable('holds something that JSON can not express');
    }
    const copied = emptyObject<Json>();
    const keys = Object.keys(value);
    // Before anything is done with three million of them.
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

/** An object without a prototype: `__proto__` is a key like any other. */
function emptyObject<Value>(): Record<string, Value> {
  const object: Record<string, Value> = Object.create(null);
  return object;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same object with ordinary prototypes, which libraries expect; a key `__proto__` stays a key. */
export function ordinaryObject(value: JsonObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, ordinary(member)]));
}

function ordinary(value: Json): unknown {
  if (isJsonObject(value)) return ordinaryObject(value);
  return Array.isArray(value) ? value.map((element: Json) => ordinary(element)) : value;
}
