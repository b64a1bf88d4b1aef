import {
  membersOf,
  type JsonObject,
  type JsonValue,
  type Member,
  isJsonList,
  type Node,
} from './json-value.js';
import { type JsonDocument, scanTokens } from './parse-document.js';

/** Replaces `length` UTF-16 code units at `offset` with `content`. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly content: string;
}

/**
 * Sets the value at `keys` and creates missing objects on the way. Every byte outside of it is kept, including comments and
 * trailing commas. Returns undefined if a value on the way is not an object.
 */
export function setValue(
  document: JsonDocument,
  keys: readonly string[],
  value: JsonValue,
): readonly TextEdit[] | undefined {
  const style = detectStyle(document);
  const { root, text } = document;
  if (root === undefined) {
    const gap = text === '' || /[\r\n]$/.test(text) ? '' : style.eol;
    return [
      { offset: text.length, length: 0, content: gap + formatValue(nest(keys, value), style) + style.eol },
    ];
  }
  let node: Node = root;
  for (const [depth, key] of keys.entries()) {
    if (node.type === 'null') return [replaceNode(document, node, nest(keys.slice(depth), value), style)];
    if (node.type !== 'object') return undefined;
    const member: Member | undefined = membersOf(node).find((candidate) => candidate.key === key);
    if (member === undefined)
      return insertMember(document, node, key, nest(keys.slice(depth + 1), value), style);
    node = member.valueNode;
  }
  return [replaceNode(document, node, value, style)];
}

/** Removes the member at `keys` with its comma and keeps comments around it. Returns no edits if there is no member. */
export function removeValue(document: JsonDocument, keys: readonly string[]): readonly TextEdit[] {
  let node = document.root;
  for (const [depth, key] of keys.entries()) {
    if (node === undefined) return [];
    const members = membersOf(node);
    const index = members.findIndex((candidate) => candidate.key === key);
    if (index === -1) return [];
    if (depth === keys.length - 1) return removeMember(document.text, node, index);
    node = members[index]?.valueNode;
  }
  return [];
}

function nest(keys: readonly string[], value: JsonValue): JsonValue {
  return keys.reduceRight<JsonValue>((inner, key): JsonObject => ({ [key]: inner }), value);
}

function replaceNode(document: JsonDocument, node: Node, value: JsonValue, style: ValueStyle): TextEdit {
  const { text } = document;
  const before = text.slice(node.offset, node.offset + node.length);
  const oneLine = node.type !== 'null' && before.length > 2 && !/[\r\n]/.test(before);
  const content = oneLine
    ? formatInline(value)
    : formatValue(value, { ...style, indent: lineIndent(text, node.offset) });
  return { offset: node.offset, length: node.length, content };
}

function insertMember(
  document: JsonDocument,
  parent: Node,
  key: string,
  value: JsonValue,
  style: ValueStyle,
): readonly TextEdit[] {
  const { text } = document;
  const close = parent.offset + parent.length - 1;
  const last = parent.children?.at(-1);
  const name = `${JSON.stringify(key)}: `;

  if (last !== undefined && !/[\r\n]/.test(text.slice(parent.offset, close))) {
    const { comma } = trivia(text, nodeEnd(last), close);
    const space = /\s/.test(text.charAt(parent.offset + 1)) ? ' ' : '';
    return comma === undefined
      ? [{ offset: nodeEnd(last), length: 0, content: `,${space}${name}${formatInline(value)}` }]
      : [{ offset: comma + 1, length: 0, content: `${space}${name}${formatInline(value)},` }];
  }

  const { comma, end } = trivia(text, last === undefined ? parent.offset + 1 : nodeEnd(last), close);
  const first = parent.children?.[0];
  const outer = lineIndent(text, parent.offset);
  const indent =
    first !== undefined && isFirstOnLine(text, first.offset)
      ? lineIndent(text, first.offset)
      : outer + style.unit;
  const closesOnOwnLine = /[\r\n]/.test(text.slice(end, close));
  const content = [
    `${style.eol}${indent}${name}${formatValue(value, { ...style, indent })}`,
    comma === undefined ? '' : ',',
    closesOnOwnLine ? '' : style.eol + outer,
  ].join('');
  const insertion = { offset: end, length: 0, content };
  return last === undefined || comma !== undefined
    ? [insertion]
    : [{ offset: nodeEnd(last), length: 0, content: ',' }, insertion];
}

function removeMember(text: string, parent: Node, index: number): readonly TextEdit[] {
  const members = parent.children ?? [];
  const member = members[index];
  if (member === undefined) return [];
  const close = parent.offset + parent.length - 1;
  const next = members[index + 1]?.offset ?? close;
  const previous = members[index - 1];
  const following = trivia(text, nodeEnd(member), next).comma;
  const leading = previous === undefined ? undefined : trivia(text, nodeEnd(previous), member.offset).comma;
  const comma = following ?? leading;

  const edits: TextEdit[] = [];
  let from = member.offset;
  let to = nodeEnd(member);
  if (comma !== undefined) {
    const between = comma < from ? text.slice(comma + 1, from) : text.slice(to, comma);
    // A comma next to the member is removed with it; one after a comment or on another line needs an edit of its own.
    if (/^[ \t]*$/.test(between)) {
      from = Math.min(from, comma);
      to = Math.max(to, comma + 1);
    } else edits.push({ offset: comma, length: 1, content: '' });
  }
  // A comment after the last member of a line now follows the member before it.
  const gap = following === undefined && leading !== undefined ? 'before' : 'after';
  return [...edits, blank(text, from, to, gap)];
}

/** Removes a range and the whitespace around it; removes whole lines that contain nothing else. */
function blank(text: string, from: number, to: number, gap: 'before' | 'after'): TextEdit {
  let start = from;
  let end = to;
  while (/[ \t]/.test(text.charAt(start - 1))) start--;
  while (/[ \t]/.test(text.charAt(end))) end++;
  const startsLine = /[\r\n]/.test(text.charAt(start - 1));
  const lineBreak = /^(?:\r\n|\n|\r)/.exec(text.slice(end, end + 2))?.[0];
  if (lineBreak === undefined) {
    return { offset: from, length: (gap === 'after' ? end : to) - from, content: '' };
  }
  if (startsLine) return { offset: start, length: end + lineBreak.length - start, content: '' };
  return { offset: start, length: to - start, content: '' };
}

/** The comma between two offsets, and the end of the last comma or comment there. */
function trivia(text: string, from: number, to: number): { comma: number | undefined; end: number } {
  let comma: number | undefined;
  let end = from;
  for (const { kind, offset, length } of scanTokens(text.slice(from, to))) {
    if (kind === 'comma') comma ??= from + offset;
    if (kind === 'comma' || kind === 'comment') end = from + offset + length;
  }
  return { comma, end };
}

function nodeEnd(node: Node): number {
  return node.offset + node.length;
}

function lineIndent(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function isFirstOnLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, offset), offset));
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

/** Detects the line ending and the indentation of the file. */
function detectStyle({ text, root }: JsonDocument): ValueStyle {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const first = root?.children?.[0];
  const unit = first !== undefined && isFirstOnLine(text, first.offset) ? lineIndent(text, first.offset) : '';
  return { unit: unit === '' ? '  ' : unit, indent: '', eol };
}

export interface ValueStyle {
  /** One level of indentation. */
  readonly unit: string;
  /** Indentation of the line on which the value begins. */
  readonly indent: string;
  readonly eol: string;
}

const SHORT = 80;

/** Formats JSON for readers: an object on several lines, a short list of plain values on one. */
function formatValue(value: JsonValue, style: ValueStyle): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = { ...style, indent: style.indent + style.unit };
  const block = (open: string, lines: readonly string[], close: string): string => {
    if (lines.length === 0) return open + close;
    const separator = `,${style.eol}${inner.indent}`;
    return `${open}${style.eol}${inner.indent}${lines.join(separator)}${style.eol}${style.indent}${close}`;
  };
  if (isJsonList(value)) {
    const inline = formatInline(value);
    const plain = value.every((element) => typeof element !== 'object' || element === null);
    if (plain && inline.length <= SHORT) return inline;
    return block(
      '[',
      value.map((element) => formatValue(element, inner)),
      ']',
    );
  }
  return block(
    '{',
    Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${formatValue(member, inner)}`),
    '}',
  );
}

/** Formats JSON on one line. */
function formatInline(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonList(value)) return `[${value.map(formatInline).join(', ')}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${formatInline(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
