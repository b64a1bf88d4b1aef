import { z } from 'zod';
import type { SimpleSchema } from './simple-schema.js';

type Build = (schema: SimpleSchema) => z.ZodType;

/** The Zod schema of a member that is required, and of an optional one. */
interface Member {
  readonly required: z.ZodType;
  optional?: z.ZodType;
}

/** All 2300 tools of 36 real servers need 780 000. When it is full, everything is forgotten. */
const MAX_CHARACTERS = 1_000_000;
/** What each member counts beside its text: many small ones take memory too. */
const CHARACTERS_OF_A_MEMBER = 64;

/**
 * Lets equal members of objects share one Zod schema. Of 10 600 schemas in a thousand real tools, 3 900 differ: all have a
 * `{ type: 'string' }`, and the tools of a server the same page number. A Zod schema is large and does not change.
 *
 * It belongs to the tools of one host and is emptied when it is full, so that a server that changes its tools again and again does not
 * fill the memory.
 */
export class ZodCache {
  /** The schema of members that an object does not name, and does not allow. */
  readonly never: z.ZodNever = z.never();
  /** The schema of members that an object does not name, and allows. */
  readonly unknown: z.ZodUnknown = z.unknown();
  /** Those with at most a type and a description, by both. Most schemas are such ones, and need no text of their own. */
  readonly #plain = new Map<SimpleSchema['type'], Map<string | undefined, Member>>();
  /** The others, by their JSON. */
  readonly #byJson = new Map<string, Member>();
  #characters = 0;

  /** Returns the Zod schema of a member. `build` makes it if none is known. */
  member(schema: SimpleSchema, isRequired: boolean, build: Build): z.ZodType {
    const member = this.#find(schema, build);
    return isRequired ? member.required : (member.optional ??= z.optional(member.required));
  }

  /** Returns the Zod schema of an element or an option. Only plain ones are shared: a nested text would be read at each level. */
  part(schema: SimpleSchema, build: Build): z.ZodType {
    return isPlain(schema) ? this.#findPlain(schema, build).required : build(schema);
  }

  #find(schema: SimpleSchema, build: Build): Member {
    if (isPlain(schema)) return this.#findPlain(schema, build);
    if (!isSelfContained(schema)) return { required: build(schema) };
    const json = JSON.stringify(schema);
    const known = this.#byJson.get(json);
    if (known !== undefined) return known;
    const member: Member = { required: build(schema) };
    this.#makeRoom(json.length);
    this.#byJson.set(json, member);
    return member;
  }

  #findPlain(schema: SimpleSchema, build: Build): Member {
    const { type, description } = schema;
    const known = this.#plain.get(type)?.get(description);
    if (known !== undefined) return known;
    const member: Member = { required: build(schema) };
    this.#makeRoom(description?.length ?? 0);
    const sameType = this.#plain.get(type);
    if (sameType === undefined) this.#plain.set(type, new Map([[description, member]]));
    else sameType.set(description, member);
    return member;
  }

  #makeRoom(characters: number): void {
    this.#characters += characters + CHARACTERS_OF_A_MEMBER;
    if (this.#characters <= MAX_CHARACTERS) return;
    this.#plain.clear();
    this.#byJson.clear();
    this.#characters = characters + CHARACTERS_OF_A_MEMBER;
  }
}

function isPlain(schema: SimpleSchema): boolean {
  // oxlint-disable-next-line unicorn/no-for-in, guard-for-in -- as in `forEachSubschema`: a list of the keys would cost more than the loop
  for (const keyword in schema) if (keyword !== 'type' && keyword !== 'description') return false;
  return true;
}

/**
 * Returns whether the schema means the same everywhere, which a reference does not, and holds no members: these are shared by
 * themselves, and their text would be read twice.
 */
function isSelfContained({ $ref, properties, items, additionalProperties, anyOf }: SimpleSchema): boolean {
  if ($ref !== undefined || properties !== undefined) return false;
  if (typeof items === 'object' && !isSelfContained(items)) return false;
  if (typeof additionalProperties === 'object' && !isSelfContained(additionalProperties)) return false;
  return anyOf === undefined || anyOf.every(isSelfContained);
}
