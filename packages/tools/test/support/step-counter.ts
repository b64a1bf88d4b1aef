import type { Expression, ParsedPattern } from '../../src/patterns/parse-pattern.js';

export interface Trace {
  /** Infinite if there were more than 1 000 000. */
  readonly steps: number;
  /** Every position of the text at which the pattern can end. */
  readonly ends: ReadonlySet<number>;
}

const MOST = 1_000_000;

/** A backtracking matcher that counts its steps, so that the result does not depend on a clock. */
export function traceMatch(pattern: ParsedPattern, text: string): Trace {
  let steps = 0;
  const ends = new Set<number>();
  const step = (): void => {
    if (++steps > MOST) throw new TooMany();
  };
  const match = (expression: Expression, at: number, then: (at: number) => boolean): boolean => {
    step();
    if (expression.kind === 'set') {
      const code = text.charCodeAt(at);
      return (
        at < text.length && expression.set.some(([from, to]) => code >= from && code <= to) && then(at + 1)
      );
    }
    if (expression.kind === 'choice') return expression.options.some((option) => match(option, at, then));
    if (expression.kind === 'sequence') {
      const rest = (index: number, from: number): boolean => {
        const item = expression.items[index];
        return item === undefined ? then(from) : match(item, from, (next) => rest(index + 1, next));
      };
      return rest(0, at);
    }
    const { item, min, max } = expression;
    const again = (count: number, from: number): boolean => {
      step();
      const once = (next: number): boolean => (next > from || count < min) && again(count + 1, next);
      return (count < max && match(item, from, once)) || (count >= min && then(from));
    };
    return again(0, at);
  };
  const note = (at: number): boolean => {
    ends.add(at);
    return false;
  };
  try {
    const starts = pattern.anchored ? [0] : Array.from({ length: text.length + 1 }, (_, index) => index);
    for (const start of starts) match(pattern.body, start, note);
    return { steps, ends };
  } catch (error) {
    if (error instanceof TooMany) return { steps: Infinity, ends };
    throw error;
  }
}

class TooMany extends Error {}
