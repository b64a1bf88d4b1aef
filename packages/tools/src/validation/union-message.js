// JavaScript, because the worker thread loads it too.

/** Zod's own integers end here: see whole-numbers.ts. */
const FIRST_UNSAFE = 2 ** 53;

/**
 * Returns one message for a union with a single meaning: a whole number, which is a union of up to three ranges, or branches
 * that all report the same. Returns undefined for every other union.
 * @param {unknown} branches The issues of each branch.
 * @returns {string | undefined}
 */
export function unionMessage(branches) {
  if (!Array.isArray(branches) || branches.length === 0) return undefined;
  const [first, ...others] = branches.map((branch) => (Array.isArray(branch) ? branch[0] : undefined));
  if (first?.path?.length !== 0) return undefined;
  if (others.length <= 2 && others.every(isBeyondSafe)) {
    return first.expected === 'int' ? 'Invalid input: expected a whole number' : first.message;
  }
  return others.every((issue) => issue?.message === first.message) ? first.message : undefined;
}

/**
 * Returns whether an issue only says that a number is within the safe integers, which is one of the three ranges.
 * @param {{ readonly code?: unknown, readonly [fact: string]: unknown } | undefined} issue
 */
export function isBeyondSafe(issue) {
  if (issue?.code === 'too_small') return issue['minimum'] === FIRST_UNSAFE;
  return issue?.code === 'too_big' && issue['maximum'] === -FIRST_UNSAFE;
}
