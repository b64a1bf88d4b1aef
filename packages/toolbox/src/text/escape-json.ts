import { escapeText } from './escape-text.js';
import { atCharacter } from './sanitize-text.js';

/** Options of {@link escapeJson}. */
export interface EscapeJsonOptions {
  /** Longest text, in UTF-16 units; the notes about cuts may exceed it a little. Default 10 000. */
  readonly maxLength?: number | undefined;
}

/** A value as text for a person who decides by it, see {@link escapeJson}. */
export interface EscapedJson {
  /** JSON, indented by two spaces. Every cut is announced outside of quotes: `"abc" … 1234 more characters`. */
  readonly text: string;
  /** UTF-16 units of the value's JSON that `text` does not show; 0 when it shows everything. */
  readonly missing: number;
}

/**
 * Formats an untrusted value as JSON in which nothing can hide: keys and strings are escaped as by `escapeText()`, unusual
 * spaces too, and nothing is removed. If it is too long, every member gets a share of the length, short members come before
 * long ones, a long string shows its beginning and end, and each cut says how much is missing.
 */
export function escapeJson(value: unknown, options: EscapeJsonOptions = {}): EscapedJson {
  const { maxLength = 10_000 } = options;
  const writer = new Writer(maxLength);
  try {
    const text = writer.write(value, maxLength, '', 0);
    return { text, missing: writer.missing };
  } catch {
    // A getter or a proxy of an in-process server has thrown.
    return { text: '[unreadable]', missing: 0 };
  }
}

/** Returns a JSON string that shows every character, also unusual spaces: in a sentence they are typography, in a value a difference. */
function quoted(text: string): string {
  return escapeText(JSON.stringify(text)).replace(
    UNUSUAL_SPACE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

const UNUSUAL_SPACE = /(?! )\p{Zs}/gu;
const DEEPEST = 64;
/** Members of one object or list that are looked at; the others are counted. */
const MOST_MEMBERS = 10_000;
/** Characters that a member needs at least to be of use. */
const LEAST_ROOM = 40;

interface Member {
  readonly key: string;
  readonly value: unknown;
  readonly size: number;
}

class Writer {
  readonly #sizes = new Map<object, number>();
  readonly #max: number;
  missing = 0;

  constructor(max: number) {
    this.#max = max;
  }

  write(value: unknown, room: number, indent: string, depth: number): string {
    if (typeof value === 'string') return this.#text(value, room);
    if (typeof value !== 'object' || value === null) return scalar(value);
    const list = Array.isArray(value);
    const [open, close] = list ? ['[', ']'] : ['{', '}'];
    const size = this.#sizeOf(value, depth);
    if (depth >= DEEPEST) {
      this.missing += size;
      return `${open}… nested deeper than ${DEEPEST} levels${close}`;
    }
    const { members, more } = this.#membersOf(value, depth);
    if (members.length === 0) return open + close;
    const isLong = size > room;
    // Short members can be read before long ones.
    const ordered = isLong && !list ? members.toSorted((a, b) => a.size - b.size) : members;
    const shown = isLong ? ordered.slice(0, Math.max(1, Math.floor(room / LEAST_ROOM))) : ordered;
    const share = isLong ? fairShare(shown, room) : Infinity;
    const inner = `${indent}  `;
    const lines = shown.map(({ key, value: member }) => {
      const name = list ? '' : `${this.#text(key, share / 2)}: `;
      const rest = Math.max(LEAST_ROOM, share - name.length);
      return `${inner}${name}${this.write(member, rest, inner, depth + 1)}`;
    });
    const left = ordered.slice(shown.length);
    let end = '';
    if (left.length + more > 0) {
      const characters = left.reduce((sum, each) => sum + each.size, 0) + more;
      this.missing += characters;
      const what = list ? 'elements' : 'members';
      end = `\n${inner}… ${left.length + more} more ${what}, ${more > 0 ? 'at least ' : ''}${characters} characters`;
    }
    return `${open}\n${lines.join(',\n')}${end}\n${indent}${close}`;
  }

  #text(text: string, room: number): string {
    if (text.length <= room) {
      const whole = quoted(text);
      if (whole.length <= Math.max(room, LEAST_ROOM)) return whole;
    }
    // Each character may become an escape of up to nine.
    let kept = Math.max(8, Math.min(Math.floor(room), text.length - 1));
    for (;;) {
      const tail = Math.floor(kept / 4);
      const [start, end] = [
        text.slice(0, atCharacter(text, kept - tail)),
        text.slice(atCharacter(text, text.length - tail)),
      ];
      const missing = text.length - start.length - end.length;
      if (missing <= 0) return quoted(text);
      const shown = [quoted(start), quoted(end)] as const;
      if (kept <= 8 || shown[0].length + shown[1].length <= Math.max(room, LEAST_ROOM) + 4) {
        this.missing += missing;
        return `${shown[0]} … ${missing} more characters … ${shown[1]}`;
      }
      kept = Math.max(8, Math.floor(kept / 2));
    }
  }

  #membersOf(value: object, depth: number): { members: readonly Member[]; more: number } {
    const names: readonly string[] = Array.isArray(value) ? [] : Object.keys(value);
    const total = Array.isArray(value) ? value.length : names.length;
    const members: Member[] = [];
    for (let index = 0; index < Math.min(total, MOST_MEMBERS); index++) {
      const key = names[index] ?? '';
      const member: unknown = Array.isArray(value) ? value[index] : Reflect.get(value, key);
      if (member === undefined && !Array.isArray(value)) continue;
      members.push({ key, value: member, size: key.length + 4 + this.#sizeOf(member, depth + 1) });
    }
    return { members, more: Math.max(0, total - MOST_MEMBERS) };
  }

  /** Returns the approximate number of characters of the whole value. */
  #sizeOf(value: unknown, depth: number): number {
    if (typeof value === 'string') return value.length > this.#max ? value.length + 2 : quoted(value).length;
    if (typeof value !== 'object' || value === null) return scalar(value).length;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    if (depth >= DEEPEST) return 2;
    // A value that contains itself is counted once.
    this.#sizes.set(value, 2);
    const { members, more } = this.#membersOf(value, depth);
    const size = members.reduce((sum, each) => sum + each.size + depth * 2, 2 + more);
    this.#sizes.set(value, size);
    return size;
  }
}

/** Returns the most that each may take so that all together fit: what short ones leave goes to the long ones. */
function fairShare(members: readonly Member[], room: number): number {
  const sizes = members.map(({ size }) => size).toSorted((a, b) => a - b);
  let left = room;
  for (const [index, size] of sizes.entries()) {
    const share = left / (sizes.length - index);
    if (size > share) return Math.max(LEAST_ROOM, share);
    left -= size;
  }
  return Infinity;
}

function scalar(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : 'null';
}
