import { FittingsError } from '@mcp-fittings/client-core';

/** Limits of a model API for the name of a tool. */
export interface NameLimits {
  /** Maximum length, in characters; at least 32. */
  readonly maxLength: number;
  /** Matches one allowed character. Must match `_`, the letters a to z and the digits. */
  readonly allowed: RegExp;
  /** Matches one allowed first character. Default: `allowed`. Must match `_`. */
  readonly first?: RegExp | undefined;
}

/**
 * The name limits of common model APIs. `portable`, the default, satisfies all of them.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names for the names that servers may use
 */
export const nameLimits = {
  /** Valid for every API below: 63 characters, no dots, a letter or `_` first. */
  portable: { maxLength: 63, allowed: /[A-Za-z0-9_-]/, first: /[A-Za-z_]/ },
  /** Messages API: 64 characters, no dots. */
  anthropic: { maxLength: 64, allowed: /[A-Za-z0-9_-]/ },
  /** Chat Completions and Responses API: 64 characters, no dots. */
  openai: { maxLength: 64, allowed: /[A-Za-z0-9_-]/ },
  /** Gemini API: 63 characters, dots allowed, a letter or `_` first. */
  gemini: { maxLength: 63, allowed: /[A-Za-z0-9_.-]/, first: /[A-Za-z_]/ },
} as const satisfies Record<string, NameLimits>;

const MIN_MAX_LENGTH = 32;
const GAP = '___';
/** The part of a shortened name that precedes the gap: of a maximum of 63, 28 characters precede it and 32 follow. */
const SHARE_BEFORE_GAP = 28 / 60;

/** Turns any text into a valid name. */
export class NameShortener {
  readonly maxLength: number;
  readonly #allowed: RegExp;
  readonly #first: RegExp;

  /** Throws `CONFIG_INVALID` for limits within which names could not be kept apart. */
  constructor({ maxLength, allowed, first = allowed }: NameLimits) {
    this.maxLength = maxLength;
    this.#allowed = matchWholeCharacter(allowed);
    this.#first = matchWholeCharacter(first);
    if (!Number.isSafeInteger(maxLength) || maxLength < MIN_MAX_LENGTH) {
      throw invalidLimits(`maxLength must be an integer of at least ${MIN_MAX_LENGTH}`);
    }
    const isAllowed = (character: string): boolean => this.#allowed.test(character);
    if (!Array.from('_abcdefghijklmnopqrstuvwxyz0123456789').every(isAllowed)) {
      throw invalidLimits('allowed must match "_", the letters a to z and the digits');
    }
    if (!this.#first.test('_')) throw invalidLimits('first must match "_"');
  }

  /** Replaces every character that is not allowed by `_`, then shortens the name: its middle becomes `___`. */
  shorten(text: string, maxLength = this.maxLength): string {
    let name = '';
    for (const character of text) name += this.#allowed.test(character) ? character : '_';
    const [start] = name;
    if (start === undefined || !this.#first.test(start)) name = `_${name}`;
    return cutMiddle(name, maxLength);
  }
}

function cutMiddle(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const kept = maxLength - GAP.length;
  const before = Math.floor(kept * SHARE_BEFORE_GAP);
  return name.slice(0, before) + GAP + name.slice(name.length - (kept - before));
}

/** Copies an expression to one that has no state and matches exactly one character. */
function matchWholeCharacter(pattern: RegExp): RegExp {
  return new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gym]/g, ''));
}

function invalidLimits(problem: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', `The option nameLimits is invalid: ${problem}.`);
}
