import { forEachInnerSchema, type SimpleSchema } from './simple-schema.js';

/** What one check of a value costs. */
export interface CheckCost {
  /** Whether the schema refers to itself without descending into the value, so that a check would never end. */
  readonly endless: boolean;
  /** Whether each level of a value may double the work. */
  readonly exponential: boolean;
  /** Whether it refers to itself, so that a value may need as many schemas as it has levels. */
  readonly recursive: boolean;
  /** Maximum number of schemas that are visited for each value of the input. */
  readonly size: number;
  /** Maximum depth of schemas inside schemas, references followed. */
  readonly depth: number;
}

/** Larger sizes make no difference. */
const MAX_SIZE = 1e9;

/**
 * Estimates what it costs to check a value against a simplified schema. A recursion alone costs no more than its size,
 * because Zod visits each pair of object and schema once in a check. For `contains`, however, it starts a new check each time.
 */
export function checkCost(root: SimpleSchema): CheckCost {
  const { $defs: definitions } = root;
  // Most schemas have no references, so that only their extent counts.
  if (definitions === undefined) return { endless: false, exponential: false, ...unfold(root, {}) };
  const all = [root, ...Object.values(definitions)].flatMap(everySchema);
  if (isEndless(all, definitions))
    return { endless: true, exponential: true, recursive: true, size: Infinity, depth: Infinity };
  const { size, depth, recursive } = unfold(root, definitions);
  const startsAgain = all.some(
    ({ contains }) => contains !== undefined && everySchema(contains).some((part) => part.$ref !== undefined),
  );
  return { endless: false, exponential: recursive && startsAgain, recursive, size, depth };
}

type Definitions = Readonly<Record<string, SimpleSchema>>;

function isEndless(schemas: readonly SimpleSchema[], definitions: Definitions): boolean {
  const open = new Set<string>();
  const done = new Set<string>();
  const visit = (schema: SimpleSchema): boolean => {
    if ((schema.allOf ?? schema.anyOf ?? schema.oneOf)?.some(visit) === true) return true;
    const name = referenceOf(schema);
    if (name === undefined || done.has(name)) return false;
    if (open.has(name)) return true;
    open.add(name);
    const endless = visit(definitions[name] ?? {});
    open.delete(name);
    done.add(name);
    return endless;
  };
  return schemas.some(visit);
}

interface Extent {
  readonly size: number;
  readonly depth: number;
}

/** Measures the schema with every reference replaced by its definition, once per path. */
function unfold(root: SimpleSchema, definitions: Definitions): Extent & { readonly recursive: boolean } {
  const known = new Map<string, Extent>();
  const open = new Set<string>();
  let recursive = false;
  let size = 0;
  let depth = 0;
  let deepest = 0;
  const visit = (schema: SimpleSchema): void => {
    // `z.fromJSONSchema` needs up to four schemas for a whole number.
    size = Math.min(MAX_SIZE, size + (schema.type === 'integer' ? 4 : 1));
    deepest = Math.max(deepest, ++depth);
    forEachInnerSchema(schema, visit);
    const name = referenceOf(schema);
    if (name !== undefined) visitDefinition(name);
    depth--;
  };
  const visitDefinition = (name: string): void => {
    if (open.has(name)) {
      recursive = true;
      return;
    }
    let extent = known.get(name);
    if (extent === undefined) {
      open.add(name);
      extent = extentOf(definitions[name] ?? {});
      open.delete(name);
      known.set(name, extent);
    }
    size = Math.min(MAX_SIZE, size + extent.size);
    deepest = Math.max(deepest, depth + extent.depth);
  };
  /** Measures a schema by itself. */
  const extentOf = (schema: SimpleSchema): Extent => {
    const outer = { size, depth, deepest };
    size = depth = deepest = 0;
    visit(schema);
    const extent = { size, depth: deepest };
    ({ size, depth, deepest } = outer);
    return extent;
  };
  return { ...extentOf(root), recursive };
}

const PREFIX = '#/$defs/';
const referenceOf = (schema: SimpleSchema): string | undefined => schema.$ref?.slice(PREFIX.length);

function everySchema(schema: SimpleSchema): readonly SimpleSchema[] {
  const all = [schema];
  for (const one of all) forEachInnerSchema(one, (inner) => void all.push(inner));
  return all;
}
