import { sanitizeText } from '@mcp-fittings/client-core/text';
import { PatternJudge } from '../patterns/pattern-judge.js';
import { simplifyArray } from './array-type.js';
import { closeObjects, holdsIntersection, type Placed } from './closed-objects.js';
import { ALL_TYPES, declaredType, type DeclaredType } from './declared-type.js';
import { DRAFT, knows, type Draft } from './dialect.js';
import { exactValues } from './exact-values.js';
import { giveUpFragileCounts, type FragileCount, type Link } from './fragile-counts.js';
import { pointerOf } from './json-pointer.js';
import { constrains } from './keyword-types.js';
import { LossReport, type SchemaLoss } from './loss.js';
import { simplifyObject } from './object-type.js';
import type { Json, JsonObject } from './plain-copy.js';
import type { References, Target } from './references.js';
import { simplifyNumber, simplifyString } from './scalar-types.js';
import {
  allOf,
  anyOf,
  anything,
  isNothing,
  JSON_TYPES,
  jsonTypeOf,
  noOther,
  nothing,
  type JsonType,
  type SimpleSchema,
} from './simple-schema.js';
import type { Simplifying } from './simplifying.js';
import { isSchema, type Schema } from './subschemas.js';

export interface SimplifyOptions {
  readonly draft: Draft;
  readonly references: References;
  /** Check all patterns, or only those that can't stall the thread. */
  readonly patterns: 'all' | 'linear';
}

export interface Simplified {
  readonly schema: SimpleSchema;
  readonly losses: readonly SchemaLoss[];
  /** A pattern was left out because it could stall the thread. */
  readonly patternsLeft: boolean;
  /** Somewhere two parts have to hold at once. */
  readonly intersects: boolean;
}

/**
 * Rewrites a schema so that `z.fromJSONSchema` converts it without loss, and reports what can't be rewritten. What is
 * left out is left out such that the rest accepts more, never less.
 */
export function simplifySchema(root: JsonObject, options: SimplifyOptions): Simplified {
  const simplifier = new Simplifier(options);
  const schema = simplifier.document(root);
  const { report, patternsLeft, intersects } = simplifier;
  return { schema, losses: report.losses, patternsLeft, intersects };
}

const LONGEST_DESCRIPTION = 2_000;

class Simplifier implements Simplifying {
  readonly draft: Draft;
  readonly report = new LossReport();
  intersects = false;
  readonly #references: References;
  readonly #patterns: PatternJudge;
  readonly #definitions = new Map<string, string>();
  readonly #open: (Target & { readonly name: string })[] = [];
  readonly #closed: Placed[] = [];
  readonly #named: Placed[] = [];
  readonly #counts: FragileCount[] = [];
  readonly #links: Link[] = [];

  constructor(options: SimplifyOptions) {
    this.draft = options.draft;
    this.#references = options.references;
    this.#patterns = new PatternJudge(options.patterns);
  }

  get patternsLeft(): boolean {
    return this.#patterns.left;
  }

  document(root: JsonObject): SimpleSchema {
    const schema = this.simplify(root, '');
    const definitions: Record<string, SimpleSchema> = {};
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      const definition = this.simplify(next.schema, next.pointer);
      definitions[next.name] = isNothing(definition) ? noOther() : definition;
    }
    if (this.#definitions.size > 0) schema.$defs = definitions;
    this.intersects = [schema, ...Object.values(definitions)].some(holdsIntersection);
    if (this.intersects) closeObjects(this.#closed, this.#named, this.report);
    giveUpFragileCounts(this.#counts, this.#links, this.report);
    return schema;
  }

  simplify(schema: Schema, pointer: string, types: ReadonlySet<JsonType> = ALL_TYPES): SimpleSchema {
    if (schema === true) return anything();
    if (schema === false) return nothing();
    const simple = this.#parts(schema, pointer, types);
    const { description } = schema;
    if (typeof description !== 'string' || description === '') return simple;
    // In place: `closed` and the like may have remembered this very object.
    simple.description = sanitizeText(description, { maxLength: LONGEST_DESCRIPTION, multiline: true });
    return simple;
  }

  acceptsPattern(pattern: string, pointer: string): boolean {
    const problem = this.#patterns.problemOf(pattern);
    if (problem !== undefined) this.report.add('pattern', pointer, problem);
    return problem === undefined;
  }

  closed(schema: SimpleSchema, pointer: string): void {
    this.#closed.push([schema, pointer]);
  }

  counts(pointers: readonly string[], giveUp: () => void): void {
    this.#counts.push({ pointers, giveUp });
  }

  named(schema: SimpleSchema, pointer: string): void {
    this.#named.push([schema, pointer]);
  }

  #parts(node: JsonObject, pointer: string, surroundings: ReadonlySet<JsonType>): SimpleSchema {
    const reference = this.#reference(node, pointer);
    // Up to draft-07 what stands next to a reference means nothing.
    if (reference !== undefined && this.draft <= DRAFT.v7) return reference;
    if (node['$dynamicRef'] !== undefined || node['$recursiveRef'] !== undefined) {
      this.report.add('$dynamicRef', pointer, 'only $ref is followed');
    }
    const declared = declaredType(node, pointer, this.report);
    const types = new Set(JSON_TYPES.filter((type) => surroundings.has(type) && declared.types.has(type)));
    const parts: SimpleSchema[] = [
      ...this.#values(node, pointer, declared),
      ...this.#typed(node, pointer, types, declared),
      ...this.#combinations(node, pointer, types),
    ];
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
      const where = $ref.startsWith('#')
        ? 'it leads nowhere'
        : 'it leads outside of the schema and is not fetched';
      this.report.add('$ref', pointer, `${where}: anything goes`);
      return anything();
    }
    this.#links.push({ from: pointer, to: target.pointer });
    let name = this.#definitions.get(target.pointer);
    if (name === undefined) {
      name = `d${this.#definitions.size}`;
      this.#definitions.set(target.pointer, name);
      this.#open.push({ ...target, name });
    }
    return { $ref: `#/$defs/${name}` };
  }

  /** `enum` and `const`. */
  #values(node: JsonObject, pointer: string, declared: DeclaredType): readonly SimpleSchema[] {
    const parts: SimpleSchema[] = [];
    const fits = (value: Json): boolean =>
      declared.types.has(jsonTypeOf(value)) && !(declared.integer && isFraction(value));
    if (Array.isArray(node['enum'])) parts.push(exactValues(node['enum'].filter(fits), pointer, this.report));
    else if (node['enum'] !== undefined) this.report.add('enum', pointer, 'it is not a list');
    if (node['const'] !== undefined && knows(this.draft, 'const')) {
      parts.push(exactValues([node['const']].filter(fits), pointer, this.report));
    }
    return parts;
  }

  /** `type` and every keyword that is about one type. */
  #typed(
    node: JsonObject,
    pointer: string,
    types: ReadonlySet<JsonType>,
    declared: DeclaredType,
  ): readonly SimpleSchema[] {
    const constrained = [...types].some((type) => constrains(node, type));
    // A list of values of the right types needs no type.
    const listed = Array.isArray(node['enum']) || (node['const'] !== undefined && knows(this.draft, 'const'));
    if (!constrained && (!declared.explicit || listed)) return [];
    return [anyOf([...types].map((type) => this.#ofType(type, node, pointer, declared.integer)))];
  }

  #ofType(type: JsonType, node: JsonObject, pointer: string, integer: boolean): SimpleSchema {
    if (type === 'string') return simplifyString(node, pointer, this);
    if (type === 'number') return simplifyNumber(node, pointer, this, integer);
    if (type === 'array') return simplifyArray(node, pointer, this);
    return type === 'object' ? simplifyObject(node, pointer, this) : { type };
  }

  #combinations(node: JsonObject, pointer: string, types: ReadonlySet<JsonType>): readonly SimpleSchema[] {
    const branches = (keyword: 'anyOf' | 'oneOf' | 'allOf'): readonly SimpleSchema[] | undefined => {
      const value = node[keyword];
      if (value === undefined) return undefined;
      if (Array.isArray(value) && value.length > 0 && value.every(isSchema)) {
        return value.map((branch, index) =>
          this.simplify(branch, pointer + pointerOf([keyword, String(index)]), types),
        );
      }
      this.report.add(keyword, pointer, 'it is not a list of schemas');
      return undefined;
    };
    const parts = [...(branches('allOf') ?? [])];
    const any = branches('anyOf');
    if (any !== undefined) parts.push(anyOf(any));
    const one = branches('oneOf')?.filter((branch) => !isNothing(branch));
    if (one !== undefined)
      parts.push(one.length <= 1 ? (one[0] ?? nothing()) : this.#exactlyOne(one, pointer));
    return parts;
  }

  #exactlyOne(branches: SimpleSchema[], pointer: string): SimpleSchema {
    const schema: SimpleSchema = { oneOf: branches };
    this.counts([`${pointer}/oneOf`], () => {
      delete schema.oneOf;
      schema.anyOf = branches;
      this.report.add('oneOf', pointer, 'a part of it is not checked in full, so it counts as anyOf');
    });
    return schema;
  }

  #negations(node: JsonObject, pointer: string): void {
    const { not } = node;
    if (isSchema(not) && not !== false && not !== true && !isEmpty(not)) {
      this.report.add('not', pointer, 'Zod can not express it');
    }
    if (isSchema(node['if']) && (isSchema(node['then']) || isSchema(node['else']))) {
      if (knows(this.draft, 'if')) this.report.add('if', pointer, 'Zod can not express it');
    }
  }
}

const isFraction = (value: Json): boolean => typeof value === 'number' && !Number.isInteger(value);
const isEmpty = (schema: Schema): boolean => typeof schema === 'object' && Object.keys(schema).length === 0;
