import { FittingsError } from '@mcp-fittings/client-core';

/** What a model API accepts as the name of a tool. */
export interface NameLimits {
  /** Longest name, in characters; at least 32. */
  readonly maxLength: number;
  /** Matches one allowed character. It must match `_`, the letters a to z and the digits 2 to 7. */
  readonly allowed: RegExp;
  /** Matches an allowed first character. Default: every allowed one. It must match `_`. */
  readonly first?: RegExp | undefined;
}

/**
 * The limits of common model APIs. `portable`, the default, satisfies all of them.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names for what servers may use
 */
export const nameLimits = {
  portable: { maxLength: 63, allowed: /[A-Za-z0-9_-]/, first: /[A-Za-z_]/ },
  anthropic: { maxLength: 64, allowed: /[A-Za-z0-9_-]/ },
  openai: { maxLength: 64, allowed: /[A-Za-z0-9_-]/ },
  gemini: { maxLength: 63, allowed: /[A-Za-z0-9_.-]/, first: /[A-Za-z_]/ },
} as const satisfies Record<string, NameLimits>;

/** Makes any text a name within the limits. */
export interface NameFitter {
  /** @param room Longest result; default: the maximum. */
  fit(text: string, room?: number): string;
  readonly maxLength: number;
}

const SHORTEST_MAXIMUM = 32;
const GAP = '___';
/** How a name that is too long is divided around the gap: 28 characters before it, 32 after, of a maximum of 63. */
const SHARE_BEFORE_GAP = 28 / 60;

/** Rejects limits within which names could not be kept apart: `CONFIG_INVALID`. */
export function createNameFitter(limits: NameLimits): NameFitter {
  const allowed = wholeCharacter(limits.allowed);
  const first = limits.first === undefined ? allowed : wholeCharacter(limits.first);
  const { maxLength } = limits;
  if (!Number.isSafeInteger(maxLength) || maxLength < SHORTEST_MAXIMUM) {
    throw invalidLimits(`maxLength must be a whole number of at least ${SHORTEST_MAXIMUM}`);
  }
  if (!Array.from('_abcdefghijklmnopqrstuvwxyz234567').every((character) => allowed.test(character))) {
    throw invalidLimits('allowed must match "_", the letters a to z and the digits 2 to 7');
  }
  if (!first.test('_')) throw invalidLimits('first must match "_"');

  return {
    maxLength,
    fit(text, room = maxLength) {
      let name = '';
      for (const character of text) name += allowed.test(character) ? character : '_';
      const [start] = name;
      if (start === undefined || !first.test(start)) name = `_${name}`;
      return shorten(name, room);
    },
  };
}

function shorten(name: string, room: number): string {
  if (name.length <= room) return name;
  const kept = room - GAP.length;
  const before = Math.floor(kept * SHARE_BEFORE_GAP);
  return name.slice(0, before) + GAP + name.slice(name.length - (kept - before));
}

/** The same expression without state, and for one character only. */
function wholeCharacter(pattern: RegExp): RegExp {
  return new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gym]/g, ''));
}

function invalidLimits(problem: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', `These name limits can't work: ${problem}.`);
}
