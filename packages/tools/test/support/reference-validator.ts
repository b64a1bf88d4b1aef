import { Validator, type Schema } from '@cfworker/json-schema';

/** Without prototypes, because the reference implementation looks up inherited members such as `constructor`. */
const plain = (value: unknown, without?: string): unknown =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (key === without) return undefined;
    const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
    return isObject ? Object.assign(Object.create(null), member) : member;
  });

/**
 * Returns the verdict of an independent implementation for which, as in ours, formats are annotations: undefined where it does not
 * terminate, as for `{ not: { $ref: '#' } }`.
 */
export function judgeOf(schema: object): (value: unknown) => boolean | undefined {
  const validator = new Validator(plain(schema, 'format') as Schema, '2020-12');
  return (value) => {
    try {
      return validator.validate(plain(value)).valid;
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
}
