// Plain JavaScript, because the thread loads it too.

/** Where Zod's own integers end: see `wholeNumbers`. */
const FIRST_UNSAFE = 2 ** 53;

/**
 * What a union says that stands for one thing: a whole number is a union of up to three ranges, which no reader has to
 * know; and branches that all say the same need no choice. Undefined for every other union.
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
 * Whether an issue says only that a number is not beyond the safe ones: one of the three ranges of whole numbers.
 * @param {{ readonly code?: unknown, readonly [fact: string]: unknown } | undefined} issue
 */
export function isBeyondSafe(issue) {
  if (issue?.code === 'too_small') return issue['minimum'] === FIRST_UNSAFE;
  return issue?.code === 'too_big' && issue['maximum'] === -FIRST_UNSAFE;
}
