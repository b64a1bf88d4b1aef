import { z } from 'zod';
import { regularExpression } from '../patterns/regular-expression.js';
import { acceptsMultiple } from './multiples.js';
import { acceptsInteger, forFromJsonSchema } from './whole-numbers.js';
import { definitionOf, type SimpleSchema } from './simple-schema.js';
import type { ZodCache } from './zod-cache.js';

/** Converts a simplified schema to Zod with `z.fromJSONSchema`, or returns undefined if that cannot convert it. */
export function toZod(schema: SimpleSchema): z.ZodType | undefined {
  try {
    // By default Zod keeps the keywords that it does not know in a registry that all schemas share.
    return z.fromJSONSchema(forFromJsonSchema(schema), { registry: z.registry() });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // No such schema is known, but Zod documents the conversion as experimental.
    return undefined;
  }
}

/**
 * Builds what `z.fromJSONSchema` makes of a schema that `isCommon` accepts, in half the time: that makes each described
 * schema twice and each limited one once more, and needs a union of three for a whole number. Parts may be shared with other schemas,
 * the result itself is not.
 */
export function buildZod(schema: SimpleSchema, cache: ZodCache): z.ZodType {
  return new Builder(schema.$defs ?? {}, cache).build(schema);
}

class Builder {
  readonly #definitions: Readonly<Record<string, SimpleSchema>>;
  readonly #built = new Map<string, z.ZodType>();
  readonly #open = new Set<string>();
  readonly #cache: ZodCache;
  readonly #build = (schema: SimpleSchema): z.ZodType => this.build(schema);
  readonly #part = (schema: SimpleSchema): z.ZodType => this.#cache.part(schema, this.#build);

  constructor(definitions: Readonly<Record<string, SimpleSchema>>, cache: ZodCache) {
    this.#definitions = definitions;
    this.#cache = cache;
  }

  build(schema: SimpleSchema): z.ZodType {
    const { description, $ref } = schema;
    const described = description !== undefined && description !== '';
    if ($ref !== undefined) {
      const target = this.#reference($ref);
      return described ? target.describe(description) : target;
    }
    const built = this.#kind(schema);
    // Where `describe` puts it, which copies the schema. The registry holds it no longer than the schema lives.
    if (described) z.globalRegistry.add(built, { description });
    return built;
  }

  #reference(reference: string): z.ZodType {
    const known = this.#built.get(reference);
    if (known !== undefined) return known;
    // The definition is complete when the first value is checked.
    if (this.#open.has(reference)) return z.lazy(() => this.#built.get(reference) ?? z.any());
    this.#open.add(reference);
    const built = this.build(definitionOf(reference, this.#definitions));
    this.#open.delete(reference);
    this.#built.set(reference, built);
    return built;
  }

  #kind(schema: SimpleSchema): z.ZodType {
    if (schema.not !== undefined) return z.never();
    if (schema.enum !== undefined) return z.enum(schema.enum);
    if (schema.const !== undefined) return z.literal(schema.const);
    if (schema.anyOf !== undefined) return z.union(schema.anyOf.map(this.#part));
    switch (schema.type) {
      case 'string':
        return buildString(schema);
      case 'integer':
      case 'number':
        return buildNumber(schema);
      case 'boolean':
        return z.boolean();
      case 'null':
        return z.null();
      case 'array':
        return this.#array(schema);
      case 'object':
        return this.#object(schema);
      default:
        return z.any();
    }
  }

  #array({ items, minItems, maxItems }: SimpleSchema): z.ZodType {
    const element = items === false ? z.never() : items === undefined ? z.any() : this.#part(items);
    if (minItems === undefined && maxItems === undefined) return z.array(element);
    const checks = [
      ...(minItems === undefined ? [] : [z.minLength(minItems)]),
      ...(maxItems === undefined ? [] : [z.maxLength(maxItems)]),
    ];
    return new z.ZodArray({ type: 'array', element, checks });
  }

  #object({ properties = {}, required = [], additionalProperties }: SimpleSchema): z.ZodType {
    const demanded = new Set(required);
    const shape = Object.fromEntries(
      Object.keys(properties).map((name): [string, z.ZodType] => [
        name,
        this.#cache.member(properties[name] ?? {}, demanded.has(name), this.#build),
      ]),
    );
    return new z.ZodObject({ type: 'object', shape, catchall: this.#others(additionalProperties) });
  }

  #others(schema: SimpleSchema | false | undefined): z.ZodType {
    if (schema === false) return this.#cache.never;
    return schema === undefined ? this.#cache.unknown : this.build(schema);
  }
}

function buildString({ minLength, maxLength, pattern }: SimpleSchema): z.ZodType {
  if (minLength === undefined && maxLength === undefined && pattern === undefined) return z.string();
  const checks = [
    ...(minLength === undefined ? [] : [z.minLength(minLength)]),
    ...(maxLength === undefined ? [] : [z.maxLength(maxLength)]),
    ...(pattern === undefined ? [] : [z.regex(regularExpression(pattern))]),
  ];
  return new z.ZodString({ type: 'string', checks });
}

function buildNumber(schema: SimpleSchema): z.ZodType {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const checks = [
    ...(schema.type === 'integer' ? [acceptsInteger()] : []),
    ...(minimum === undefined ? [] : [z.gte(minimum)]),
    ...(maximum === undefined ? [] : [z.lte(maximum)]),
    ...(exclusiveMinimum === undefined ? [] : [z.gt(exclusiveMinimum)]),
    ...(exclusiveMaximum === undefined ? [] : [z.lt(exclusiveMaximum)]),
    ...(multipleOf === undefined ? [] : [acceptsMultiple(multipleOf)]),
  ];
  return checks.length === 0 ? z.number() : new z.ZodNumber({ type: 'number', checks });
}
