import { sanitizeText } from '@mcp-fittings/toolbox/text';
import {
  type Json,
  type JsonObject,
  ALL_TYPES,
  JSON_TYPES,
  jsonTypeOf,
  type JsonType,
} from '../json/copy-json.js';
import { LinearPattern } from '../schema/linear-pattern.js';
import { DRAFT, knows, type Draft } from '../schema/dialect.js';
import type { References, Target } from '../schema/references.js';
import { SchemaDifferences } from '../schema/schema-differences.js';
import { isSchema, type Schema } from '../schema/subschemas.js';
import { ANY_TYPE, constrains, declaredType, exactValues, type DeclaredType } from './allowed-values.js';
import { allOf, anyOf, anything, isNothing, nothing, type SimpleSchema } from './simple-schema.js';
import { simplifyArray } from './simplify-array.js';
import { simplifyObject } from './simplify-object.js';
import { simplifyNumber, simplifyString } from './simplify-scalar.js';

const MAX_DESCRIPTION_LENGTH = 2_000;
/** Compiling a pattern takes about 10 µs for each of its steps. Of a schema with more, the rest is not checked. */
const MAX_PATTERNS = 100;
const MAX_PATTERN_STEPS = 20_000;

/**
 * Rewrites one document to a schema that Zod expresses exactly, and reports what it cannot rewrite. The result accepts
 * everything that the document accepts, and more where a difference is reported.
 */
export class Simplifier {
  readonly draft: Draft;
  readonly differences = new SchemaDifferences();
  readonly #references: References;
  readonly #compiled = new Map<string, LinearPattern | string>();
  #patternSteps = 0;
  /** Pointers to the targets of references. */
  readonly #targets = new Set<string>();
  readonly #open: Target[] = [];
  readonly #ifPartial: (() => void)[] = [];

  constructor(draft: Draft, references: References) {
    this.draft = draft;
    this.#references = references;
  }

  document(root: JsonObject): SimpleSchema {
    const schema = this.simplify(root, '');
    const definitions: Record<string, SimpleSchema> = {};
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      definitions[next.pointer] = this.simplify(next.schema, next.pointer);
    }
    if (this.#targets.size > 0) schema.$defs = definitions;
    if (this.differences.list.length > 0) for (const relax of this.#ifPartial) relax();
    return schema;
  }

  /** @param types The types that the surrounding schema leaves possible. */
  simplify(schema: Schema, pointer: string, types: ReadonlySet<JsonType> = ALL_TYPES): SimpleSchema {
    if (schema === true) return anything();
    if (schema === false) return nothing();
    const simple = this.#parts(schema, pointer, types);
    const { description } = schema;
    if (typeof description !== 'string' || description === '') return simple;
    // In place: `ifPartial` may have remembered this object.
    simple.description = sanitizeText(description, { maxLength: MAX_DESCRIPTION_LENGTH, multiline: true });
    return simple;
  }

  /** Returns the compiled pattern. Reports it and returns undefined if it is not checked. */
  compile(pattern: string, pointer: string): LinearPattern | undefined {
    let compiled = this.#compiled.get(pattern);
    if (compiled === undefined) {
      const isFull = this.#compiled.size >= MAX_PATTERNS || this.#patternSteps >= MAX_PATTERN_STEPS;
      compiled = isFull ? 'the schema has too many patterns' : LinearPattern.compile(pattern);
      this.#compiled.set(pattern, compiled);
      if (typeof compiled === 'object') this.#patternSteps += compiled.steps;
    }
    if (typeof compiled === 'object') return compiled;
    this.differences.add('pattern', pointer, compiled);
    return undefined;
  }

  /**
   * Replaces a keyword that counts how many schemas or values match by one that does not, unless everything is checked: if a counted
   * schema accepts more than the original, the keyword accepts less.
   */
  ifPartial(relax: () => void): void {
    this.#ifPartial.push(relax);
  }

  #parts(node: JsonObject, pointer: string, surroundings: ReadonlySet<JsonType>): SimpleSchema {
    const reference = this.#reference(node, pointer);
    // Up to draft-07, keywords next to a reference are ignored.
    if (reference !== undefined && this.draft <= DRAFT.v7) return reference;
    if (node['$dynamicRef'] !== undefined || node['$recursiveRef'] !== undefined) {
      this.differences.add('$dynamicRef', pointer, 'only $ref is followed');
    }
    let declared = declaredType(node);
    if (declared === undefined) {
      this.differences.add('type', pointer, 'it is not a type of JSON Schema');
      declared = ANY_TYPE;
    }
    const types =
      surroundings === ALL_TYPES
        ? declared.types
        : new Set(JSON_TYPES.filter((type) => surroundings.has(type) && declared.types.has(type)));
    const parts: SimpleSchema[] = [];
    this.#values(parts, node, pointer, declared);
    this.#typed(parts, node, pointer, types, declared);
    this.#combinations(parts, node, pointer, types);
    if (reference !== undefined) parts.push(reference);
    this.#negations(node, pointer);
    if (node['not'] === true || (isSchema(node['not']) && isEmpty(node['not']))) return nothing();
    return allOf(parts);
  }

  #reference(node: JsonObject, pointer: string): SimpleSchema | undefined {
    const { $ref } = node;
    if (typeof $ref !== 'string') return undefined;
    const target = this.#references.resolve($ref);
    if (target === undefined) {
      const reason = $ref.startsWith('#')
        ? 'it leads nowhere, so any value is accepted'
        : 'it leads to another document and is not fetched, so any value is accepted';
      this.differences.add('$ref', pointer, reason);
      return anything();
    }
    if (!this.#targets.has(target.pointer)) {
      this.#targets.add(target.pointer);
      this.#open.push(target);
    }
    return { $ref: target.pointer };
  }

  /** Reads `enum` and `const`. */
  #values(parts: SimpleSchema[], node: JsonObject, pointer: string, declared: DeclaredType): void {
    const { enum: list, const: single } = node;
    if (list === undefined && single === undefined) return;
    const fits = (value: Json): boolean =>
      declared.types.has(jsonTypeOf(value)) && !(declared.integer && isFraction(value));
    if (Array.isArray(list)) parts.push(exactValues(list.filter(fits), pointer, this.differences));
    else if (list !== undefined) this.differences.add('enum', pointer, 'it is not an array');
    if (single !== undefined && knows(this.draft, 'const')) {
      parts.push(exactValues([single].filter(fits), pointer, this.differences));
    }
  }

  /** Reads `type` and every keyword that applies to one type. */
  #typed(
    parts: SimpleSchema[],
    node: JsonObject,
    pointer: string,
    types: ReadonlySet<JsonType>,
    declared: DeclaredType,
  ): void {
    // `enum` and `const` hold only values of the right types already.
    const listed = Array.isArray(node['enum']) || (node['const'] !== undefined && knows(this.draft, 'const'));
    if ((!declared.explicit || listed) && ![...types].some((type) => constrains(node, type))) return;
    const options: SimpleSchema[] = [];
    for (const type of types) options.push(this.#ofType(type, node, pointer, declared.integer));
    parts.push(anyOf(options));
  }

  #ofType(type: JsonType, node: JsonObject, pointer: string, integer: boolean): SimpleSchema {
    if (type === 'string') return simplifyString(node, pointer, this);
    if (type === 'number') return simplifyNumber(node, pointer, this, integer);
    if (type === 'array') return simplifyArray(node, pointer, this);
    return type === 'object' ? simplifyObject(node, pointer, this) : { type };
  }

  #combinations(
    parts: SimpleSchema[],
    node: JsonObject,
    pointer: string,
    types: ReadonlySet<JsonType>,
  ): void {
    if (node['allOf'] !== undefined) parts.push(...(this.#branches('allOf', node, pointer, types) ?? []));
    const any = this.#branches('anyOf', node, pointer, types);
    if (any !== undefined) parts.push(anyOf(any));
    const one = this.#branches('oneOf', node, pointer, types)?.filter((branch) => !isNothing(branch));
    if (one !== undefined)
      parts.push(one.length <= 1 ? (one[0] ?? nothing()) : this.#exactlyOne(one, pointer));
  }

  #branches(
    keyword: 'anyOf' | 'oneOf' | 'allOf',
    node: JsonObject,
    pointer: string,
    types: ReadonlySet<JsonType>,
  ): readonly SimpleSchema[] | undefined {
    const value = node[keyword];
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.length > 0 && value.every(isSchema))
      return value.map((branch, index) => this.simplify(branch, `${pointer}/${keyword}/${index}`, types));
    this.differences.add(keyword, pointer, 'it is not an array of schemas');
    return undefined;
  }

  #exactlyOne(branches: SimpleSchema[], pointer: string): SimpleSchema {
    const schema: SimpleSchema = { oneOf: branches };
    this.ifPartial(() => {
      delete schema.oneOf;
      schema.anyOf = branches;
      this.differences.add('oneOf', pointer, 'a part of the schema is not checked, so it is read as anyOf');
    });
    return schema;
  }

  #negations(node: JsonObject, pointer: string): void {
    const { not } = node;
    if (isSchema(not) && not !== false && not !== true && !isEmpty(not)) {
      this.differences.add('not', pointer, 'Zod cannot express it');
    }
    if (isSchema(node['if']) && (isSchema(node['then']) || isSchema(node['else']))) {
      if (knows(this.draft, 'if')) this.differences.add('if', pointer, 'Zod cannot express it');
    }
  }
}

const isFraction = (value: Json): boolean => typeof value === 'number' && !Number.isInteger(value);
const isEmpty = (schema: Schema): boolean => typeof schema === 'object' && Object.keys(schema).length === 0;
