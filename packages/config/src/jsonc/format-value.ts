import { type JsonValue, isJsonList } from './json-value.js';

export interface ValueStyle {
  /** One level of indentation. */
  readonly unit: string;
  /** Indentation of the line on which the value begins. */
  readonly indent: string;
  readonly eol: string;
}

const SHORT = 80;

/** JSON as a person would write it: an object over several lines, a short list of plain values on one. */
export function formatValue(value: JsonValue, style: ValueStyle): string {
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

/** The same on one line. */
export function formatInline(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonList(value)) return `[${value.map(formatInline).join(', ')}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${formatInline(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
