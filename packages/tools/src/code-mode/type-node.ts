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

/** Accepts what all of the types accept. Types of which one is for objects and one for strings, for example, are multiplied out here. */
export function intersectionOf(types: readonly TypeNode[]): TypeNode {
  const telling = types.filter((type) => !isUnknown(type));
  if (telling.some((type) => isPlain(type, 'never'))) return NEVER;
  const divided: KindMap[] = [];
  const others: TypeNode[] = [];
  for (const type of telling) {
    const kinds = byKind(type);
    if (kinds === undefined) others.push(type);
    else divided.push(kinds);
  }
  const [first, ...rest] = divided;
  if (first === undefined || rest.length === 0) return combine('intersection', telling, UNKNOWN);
  const kinds = [...first.keys()].filter((kind) => rest.every((each) => each.has(kind)));
  const all = unionOf(kinds.map((kind) => ofOneKind(divided.map((each) => each.get(kind) ?? []))));
  return isPlain(all, 'never') ? NEVER : combine('intersection', [all, ...others], UNKNOWN);
}

/** Type of a value in JSON. */
type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';
type KindMap = ReadonlyMap<Kind, readonly TypeNode[]>;

/** Returns the members of a union by what they are; undefined if that is not known of one, such as a reference. */
function byKind(type: TypeNode): KindMap | undefined {
  const kinds = new Map<Kind, TypeNode[]>();
  for (const member of type.kind === 'union' ? type.members : [type]) {
    const kind = kindOf(member);
    if (kind === undefined) return undefined;
    const list = kinds.get(kind);
    if (list === undefined) kinds.set(kind, [member]);
    else list.push(member);
  }
  return kinds;
}

function kindOf(type: TypeNode): Kind | undefined {
  if (type.kind === 'object') return 'object';
  if (type.kind === 'array' || type.kind === 'tuple') return 'array';
  if (type.kind !== 'plain') return undefined;
  const { text } = type;
  if (text === 'string' || text.startsWith("'")) return 'string';
  if (text === 'boolean' || text === 'true' || text === 'false') return 'boolean';
  if (text === 'number' || /^-?\d/.test(text)) return 'number';
  return text === 'null' ? 'null' : undefined;
}

/** Accepts what is in each of the lists. All of them are of one kind. */
function ofOneKind(lists: readonly (readonly TypeNode[])[]): TypeNode {
  const narrow = lists.filter((list) => !list.some(isWholeKind));
  const [first, ...rest] = narrow;
  if (first === undefined) return lists[0]?.find(isWholeKind) ?? NEVER;
  if (first.every((type) => type.kind === 'plain')) {
    const texts = rest.map((list) => new Set(list.map((type) => (type.kind === 'plain' ? type.text : ''))));
    return unionOf(first.filter((type) => texts.every((each) => each.has(type.text))));
  }
  return combine(
    'intersection',
    narrow.map((list) => unionOf(list)),
    UNKNOWN,
  );
}

/** Returns whether a type accepts every value of its kind. */
function isWholeKind(type: TypeNode): boolean {
  if (type.kind === 'plain') return /^(?:string|number|boolean|null)$/.test(type.text);
  if (type.kind === 'array') return isUnknown(type.element);
  return (
    type.kind === 'object' &&
    type.properties.length === 0 &&
    type.index !== undefined &&
    isUnknown(type.index)
  );
}

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
