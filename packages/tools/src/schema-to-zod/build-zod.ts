import { z } from 'zod';
import { asRegExp, type LinearPattern } from '../schema/linear-pattern.js';
import { acceptAll } from './accept-all.js';
import {
  acceptsContaining,
  acceptsCount,
  acceptsMembers,
  acceptsNames,
  acceptsUnique,
} from './collection-checks.js';
import { acceptsInteger, acceptsMultiple } from './number-checks.js';
import type { SimpleSchema } from './simple-schema.js';

/** Builds the Zod schema of a simplified schema. */
export function buildZod(schema: SimpleSchema): z.ZodType {
  return new Builder(schema.$defs ?? {}).build(schema);
}

class Builder {
  readonly #definitions: Readonly<Record<string, SimpleSchema>>;
  readonly #built = new Map<string, z.ZodType>();
  readonly #open = new Set<string>();
  readonly #part = (schema: SimpleSchema): z.ZodType => this.build(schema);

  constructor(definitions: Readonly<Record<string, SimpleSchema>>) {
    this.#definitions = definitions;
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
    const built = this.build(this.#definitions[reference] ?? {});
    this.#open.delete(reference);
    this.#built.set(reference, built);
    return built;
  }

  #kind(schema: SimpleSchema): z.ZodType {
    if (schema.not !== undefined) return z.never();
    if (schema.enum !== undefined) return z.enum(schema.enum);
    if (schema.const !== undefined) return z.literal(schema.const);
    if (schema.anyOf !== undefined) return z.union(schema.anyOf.map(this.#part));
    if (schema.oneOf !== undefined) return z.xor(schema.oneOf.map(this.#part));
    if (schema.allOf !== undefined) return acceptAll(schema.allOf.map(this.#part));
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

  #array(schema: SimpleSchema): z.ZodType {
    const { items, prefixItems, minItems, maxItems, uniqueItems, contains } = schema;
    const element = items === false ? z.never() : items === undefined ? z.any() : this.build(items);
    const checks = [
      ...(minItems === undefined ? [] : [z.minLength(minItems)]),
      ...(maxItems === undefined ? [] : [z.maxLength(maxItems)]),
    ];
    const parts: z.ZodType[] = [];
    if (prefixItems === undefined) parts.push(new z.ZodArray({ type: 'array', element, checks }));
    else {
      const first = prefixItems.map(this.#part);
      const isRequired = (index: number): boolean => index < (minItems ?? 0);
      const members = first.map((item, index) => (isRequired(index) ? item : z.optional(item)));
      parts.push(
        new z.ZodTuple({ type: 'tuple', items: members, rest: items === false ? null : element, checks }),
      );
    }
    if (uniqueItems === true) parts.push(acceptsUnique());
    if (contains !== undefined) parts.push(acceptsContaining(this.build(contains), schema));
    return acceptAll(parts);
  }

  #object(schema: SimpleSchema): z.ZodType {
    const { properties = {}, required = [], additionalProperties, patternProperties, propertyNames } = schema;
    const others = this.#others(additionalProperties);
    const demanded = new Set(required);
    const shape = Object.fromEntries([
      ...Object.keys(properties).map((name): [string, z.ZodType] => {
        const member = this.build(properties[name] ?? {});
        return [name, demanded.has(name) ? member : z.optional(member)];
      }),
      // Zod demands only members of its shape.
      ...required
        .filter((name) => !Object.hasOwn(properties, name))
        .map((name): [string, z.ZodType] => [name, patternProperties === undefined ? others : z.any()]),
    ]);
    const catchall = patternProperties === undefined ? others : z.any();
    const parts: z.ZodType[] = [new z.ZodObject({ type: 'object', shape, catchall })];
    if (patternProperties !== undefined) {
      const patterns = [...patternProperties.keys()];
      for (const [pattern, member] of patternProperties)
        parts.push(acceptsMembers((name) => pattern.test(name), this.build(member)));
      if (additionalProperties !== undefined) {
        const isOther = (name: string): boolean =>
          !Object.hasOwn(properties, name) && !patterns.some((pattern) => pattern.test(name));
        parts.push(acceptsMembers(isOther, others));
      }
    }
    if (propertyNames !== undefined) parts.push(acceptsNames(this.build(propertyNames)));
    if (schema.minProperties !== undefined || schema.maxProperties !== undefined)
      parts.push(acceptsCount(schema));
    return acceptAll(parts);
  }

  #others(schema: SimpleSchema | false | undefined): z.ZodType {
    if (schema === false) return z.never();
    return schema === undefined ? z.any() : this.build(schema);
  }
}

function buildString({ minLength, maxLength, pattern }: SimpleSchema): z.ZodType {
  if (minLength === undefined && maxLength === undefined && pattern === undefined) return z.string();
  const checks = [
    ...(minLength === undefined ? [] : [z.minLength(minLength)]),
    ...(maxLength === undefined ? [] : [z.maxLength(maxLength)]),
    ...(pattern === undefined ? [] : [acceptsPattern(pattern)]),
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

/** Creates a check for `pattern`, with the message of Zod's own, which would backtrack. */
function acceptsPattern(pattern: LinearPattern): z.core.$ZodCheck<string> {
  const check = z.check<string>(({ value, issues }) => {
    if (pattern.test(value)) return;
    issues.push({
      code: 'invalid_format',
      format: 'regex',
      pattern: `/${pattern.source}/`,
      input: value,
      continue: true,
    });
  });
  // So that `z.toJSONSchema` writes `pattern`.
  check._zod.onattach.push((schema) => {
    const { bag } = schema._zod;
    const known = bag['patterns'];
    const regExp = asRegExp(pattern.source);
    if (regExp !== undefined) bag['patterns'] = new Set([...(known instanceof Set ? known : []), regExp]);
  });
  return check;
}
