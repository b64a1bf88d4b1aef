import type { JsonObject } from '../json/copy-json.js';

/** A type of TypeScript, before it is written. */
export type TypeNode =
  | PlainType
  | { readonly kind: 'union' | 'intersection'; readonly members: readonly TypeNode[] }
  | ReferenceType
  | { readonly kind: 'array'; readonly element: TypeNode }
  | TupleType
  | ObjectType;

/** A keyword such as `string`, or a literal, as it is written. */
export interface PlainType {
  readonly kind: 'plain';
  readonly text: string;
}

/** A named type of the same schema. */
export interface ReferenceType {
  readonly kind: 'reference';
  readonly definition: Definition;
  /** Written as `unknown`, because the name would stand for itself. */
  cut: boolean;
}

/** An array whose first elements have types of their own. */
export interface TupleType {
  readonly kind: 'tuple';
  readonly elements: readonly TypeNode[];
  /** Number of elements that are always there. */
  readonly required: number;
  readonly rest: TypeNode | undefined;
}

export interface ObjectType {
  readonly kind: 'object';
  readonly properties: readonly PropertyType[];
  /** The type of every other property; undefined if there are none. */
  readonly index: TypeNode | undefined;
}

export interface PropertyType {
  readonly name: string;
  readonly optional: boolean;
  readonly type: TypeNode;
  /** Its description and constraints are written above it. */
  readonly schema: JsonObject | undefined;
}

/** A part of a schema that has a name, because a reference leads to it. */
export interface Definition {
  /** JSON Pointer to the part; empty for the root. */
  readonly pointer: string;
  readonly schema: JsonObject | undefined;
  type: TypeNode;
  /** Given when all types of a server are known. */
  name: string;
}

export const plain = (text: string): PlainType => ({ kind: 'plain', text });
export const UNKNOWN = plain('unknown');
export const NEVER = plain('never');

const isPlain = (type: TypeNode, text: string): boolean => type.kind === 'plain' && type.text === text;
export const isUnknown = (type: TypeNode): boolean => isPlain(type, 'unknown');

/** Accepts what at least one of the types accepts. */
export function unionOf(types: readonly TypeNode[]): TypeNode {
  if (types.some(isUnknown)) return UNKNOWN;
  return combine(
    'union',
    types.filter((type) => !isPlain(type, 'never')),
    NEVER,
  );
}

/** Accepts what all of the types accept. */
export function intersectionOf(types: readonly TypeNode[]): TypeNode {
  if (types.some((type) => isPlain(type, 'never'))) return NEVER;
  const isObject = types.some((type) => isObjects(type) && !isAnyObject(type));
  const telling = types.filter((type) => !isUnknown(type) && !(isObject && isAnyObject(type)));
  return combine('intersection', telling, UNKNOWN);
}

/** Returns whether a type accepts objects and nothing else. */
const isObjects = (type: TypeNode): boolean =>
  type.kind === 'object' || (type.kind === 'union' && type.members.every(isObjects));

/** Returns whether a type accepts every object, as `type: object` alone does. */
const isAnyObject = (type: TypeNode): boolean =>
  type.kind === 'object' && type.properties.length === 0 && type.index !== undefined && isUnknown(type.index);

function combine(kind: 'union' | 'intersection', types: readonly TypeNode[], none: PlainType): TypeNode {
  const members: TypeNode[] = [];
  const seen = new Set<string | Definition>();
  const add = (type: TypeNode): void => {
    if (type.kind === kind) return type.members.forEach(add);
    const key = type.kind === 'plain' ? type.text : type.kind === 'reference' ? type.definition : undefined;
    if (key !== undefined && seen.has(key)) return;
    if (key !== undefined) seen.add(key);
    members.push(type);
  };
  types.forEach(add);
  const [first, second] = members;
  if (first === undefined) return none;
  return second === undefined ? first : { kind, members };
}
