import type { Node } from 'jsonc-parser';
import { isRecord } from '@mcp-fittings/client-core';
import { fieldPath } from '../display-text.js';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A copy of a program's object as a file would give it back: members without a value are gone. */
export function jsonCopy(value: Readonly<Record<string, unknown>>): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of an object is an object
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** JSON with sorted keys: the same text for equal values. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

type NodeIssueCode = 'JSON_DUPLICATE_KEY' | 'JSON_KEY_REFUSED' | 'JSON_VALUE_REFUSED';

/** A value out of a document, frozen, with the offset of each of its parts. */
export interface LocatedValue {
  readonly value: JsonValue;
  /** Offsets by field path; `''` is the value itself, a member's offset is that of its key. */
  readonly offsets: ReadonlyMap<string, number>;
  readonly issues: readonly {
    readonly issue: NodeIssueCode;
    readonly path: string;
    readonly offset: number;
  }[];
}

const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** More of them help nobody. */
const MAX_ISSUES = 20;
const HALF_A_CHARACTER = /\p{Cs}/u;

/** Reads a value and everything in it that two readers could understand differently, or that is a trap. */
export function locatedValue(node: Node): LocatedValue {
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
          if (HALF_A_CHARACTER.test(key)) report('JSON_VALUE_REFUSED', keyNode, fieldPath(path));
          offsets.set(fieldPath(path), keyNode.offset);
          members.set(key, read(valueNode, path));
        }
      }
      return Object.freeze(Object.fromEntries(members));
    }
    const value: unknown = current.value;
    if (typeof value === 'string' && HALF_A_CHARACTER.test(value)) report('JSON_VALUE_REFUSED', current);
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

/** The members of an object in their order, those that stand twice included. */
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
