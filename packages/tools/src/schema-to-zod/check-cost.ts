import { innerSchemas, type SimpleSchema } from './simple-schema.js';

export interface CheckCost {
  /** It refers to itself without looking into the value: a check would never end. */
  readonly endless: boolean;
  /** Each level of a value may double the work. */
  readonly exponential: boolean;
  /** Visits of a schema for one value, at most; the whole is that many times the values. */
  readonly size: number;
  /** Schemas inside of schemas, with references followed. */
  readonly depth: number;
}

/** Larger sizes are all the same to us. */
const HUGE = 1e9;

/**
 * What checking a value against a simplified schema may cost. A recursion alone costs no more than its size: Zod looks
 * at each pair of object and schema once in a check. But for `contains` it starts a check of its own each time.
 */
export function checkCost(root: SimpleSchema): CheckCost {
  const definitions = root.$defs ?? {};
  const all = [root, ...Object.values(definitions)].flatMap(everySchema);
  if (isEndless(all, definitions))
    return { endless: true, exponential: true, size: Infinity, depth: Infinity };
  const { size, depth, recursive } = unfold(root, definitions);
  const startsAgain = all.some(
    ({ contains }) => contains !== undefined && everySchema(contains).some((part) => part.$ref !== undefined),
  );
  return { endless: false, exponential: recursive && startsAgain, size, depth };
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

/** The schema with every reference replaced by what it means, as far as it does not come again. */
function unfold(root: SimpleSchema, definitions: Definitions): Extent & { readonly recursive: boolean } {
  const known = new Map<string, Extent>();
  const open = new Set<string>();
  let recursive = false;
  const extentOf = (schema: SimpleSchema): Extent => {
    const name = referenceOf(schema);
    const inner = innerSchemas(schema).map(extentOf);
    if (name !== undefined) inner.push(ofDefinition(name));
    return {
      size: Math.min(
        HUGE,
        inner.reduce((sum, { size }) => sum + size, 1),
      ),
      depth: inner.reduce((most, { depth }) => Math.max(most, depth), 0) + 1,
    };
  };
  const ofDefinition = (name: string): Extent => {
    if (open.has(name)) {
      recursive = true;
      return { size: 0, depth: 0 };
    }
    const before = known.get(name);
    if (before !== undefined) return before;
    open.add(name);
    const extent = extentOf(definitions[name] ?? {});
    open.delete(name);
    known.set(name, extent);
    return extent;
  };
  return { ...extentOf(root), recursive };
}

const PREFIX = '#/$defs/';
const referenceOf = (schema: SimpleSchema): string | undefined => schema.$ref?.slice(PREFIX.length);

function everySchema(schema: SimpleSchema): readonly SimpleSchema[] {
  return [schema, ...innerSchemas(schema).flatMap(everySchema)];
}
