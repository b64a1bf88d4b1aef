import { isRecord } from '@mcp-fittings/toolbox/messages';
import { fieldPath } from '../display-text.js';

/** A node of a parsed document. Unlike the type of `jsonc-parser`, which is bundled, it can be in our declarations. */
export interface Node {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly value?: unknown;
  readonly children?: readonly Node[];
}

/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A JSON object, read-only at every level. */
export interface JsonObject {
  /** Members by key. */
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** A copy of an object as JSON would return it: members that are undefined or functions are removed. */
export function jsonCopy(value: Readonly<Record<string, unknown>>): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of an object is an object
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

type NodeIssueCode = 'JSON_DUPLICATE_KEY' | 'JSON_KEY_REFUSED' | 'JSON_VALUE_REFUSED';

/** A value of a document, frozen, with the offsets of its fields and everything that is ambiguous in it. */
export interface ParsedValue {
  readonly value: JsonValue;
  /** Offsets by field path. `''` is the value itself; the offset of a member is that of its key. */
  readonly offsets: ReadonlyMap<string, number>;
  readonly issues: readonly {
    readonly issue: NodeIssueCode;
    readonly path: string;
    readonly offset: number;
  }[];
}

const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Limits the list of issues; the first ones are enough to reject the value. */
const MAX_ISSUES = 20;
const LONE_SURROGATE = /\p{Cs}/u;

/** Reads a value and reports everything in it that two programs could read differently, or that is dangerous to copy. */
export function readJsonValue(node: Node): ParsedValue {
  const offsets = new Map<string, number>([['', node.offset]]);
  const issues: { issue: NodeIssueCode; path: string; offset: number }[] = [];

  const read = (current: Node, keys: readonly (string | number)[]): JsonValue => {
    const report = (issue: NodeIssueCode, at: Node, path = fieldPath(keys)): void => {
      if (issues.length < MAX_ISSUES) issues.push({ issue, path, offset: at.offset });
    };
    if (current.type === 'array') {
      const elements = (current.children ?? []).map((child, index) => {
        const path = [...keys, index];
        offsets.set(fieldPath(path), child.offset);
        return read(child, path);
      });
      return Object.freeze(elements);
    }
    if (current.type === 'object') {
      const members = new Map<string, JsonValue>();
      for (const { key, keyNode, valueNode } of membersOf(current)) {
        const path = [...keys, key];
        if (REFUSED_KEYS.has(key)) report('JSON_KEY_REFUSED', keyNode, fieldPath(path));
        else if (members.has(key)) report('JSON_DUPLICATE_KEY', keyNode, fieldPath(path));
        else {
          if (LONE_SURROGATE.test(key)) report('JSON_VALUE_REFUSED', keyNode, fieldPath(path));
          offsets.set(fieldPath(path), keyNode.offset);
          members.set(key, read(valueNode, path));
        }
      }
      return Object.freeze(Object.fromEntries(members));
    }
    const value: unknown = current.value;
    if (typeof value === 'string' && LONE_SURROGATE.test(value)) report('JSON_VALUE_REFUSED', current);
    if (typeof value === 'number' && !Number.isFinite(value)) report('JSON_VALUE_REFUSED', current);
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : null;
  };

  const value = read(node, []);
  return { value, offsets, issues };
}

export interface Member {
  readonly key: string;
  readonly keyNode: Node;
  readonly valueNode: Node;
}

/** The members of an object in the order of the text, including repeated keys. */
export function membersOf(node: Node): readonly Member[] {
  if (node.type !== 'object') return [];
  const members: Member[] = [];
  for (const property of node.children ?? []) {
    const [keyNode, valueNode] = property.children ?? [];
    const key: unknown = keyNode?.value;
    if (keyNode !== undefined && valueNode !== undefined && typeof key === 'string') {
      members.push({ key, keyNode, valueNode });
    }
  }
  return members;
}
