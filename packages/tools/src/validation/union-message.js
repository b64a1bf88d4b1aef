// Plain JavaScript, because the thread loads it too.

/**
 * What a union of Zod says for a whole number: such a schema is a union of three ranges, which no reader has to know.
 * Undefined for every other union.
 * @param {unknown} branches The issues of each branch.
 * @returns {string | undefined}
 */
export function unionMessage(branches) {
  if (!Array.isArray(branches) || branches.length === 0) return undefined;
  const firsts = branches.map((branch) => (Array.isArray(branch) ? branch[0] : undefined));
  const [first] = firsts;
  if (first?.path?.length !== 0) return undefined;
  if (first.code === 'invalid_type' && first.expected === 'int' && firsts.length <= 3) {
    return 'Invalid input: expected a whole number';
  }
  return firsts.every((each) => each?.message === first.message) ? first.message : undefined;
}
