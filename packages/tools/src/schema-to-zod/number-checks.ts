import { z } from 'zod';

/** Ratios are compared with this tolerance, whatever their size: `0.1 + 0.2` is a multiple of 0.1. */
const TOLERANCE = 1e-9;

/**
 * Creates a check for `multipleOf`, with the message of Zod's own. That one has a tolerance that grows with the number: 2e15 + 1 is
 * a multiple of 2 for it.
 */
export function acceptsMultiple(step: number): z.core.$ZodCheck<number> {
  const check = z.check<number>(({ value, issues }) => {
    if (isMultiple(value, step)) return;
    // As Zod's own: a union then reports this, and not that no branch fits.
    issues.push({ code: 'not_multiple_of', divisor: step, input: value, continue: true });
  });
  // So that `z.toJSONSchema` writes `multipleOf`.
  check._zod.onattach.push((schema) => {
    schema._zod.bag['multipleOf'] = step;
  });
  return check;
}

/** Creates a check that a number is whole, whatever its size, with the message of Zod's own integers, which end at 2^53. */
export function acceptsInteger(): z.core.$ZodCheck<number> {
  const check = z.check<number>((payload) => {
    if (Number.isInteger(payload.value)) return;
    payload.issues.push({ code: 'invalid_type', expected: 'int', input: payload.value, continue: false });
  });
  // So that `z.toJSONSchema` writes `integer`.
  check._zod.onattach.push((schema) => {
    schema._zod.bag['format'] = 'safeint';
  });
  return check;
}

function isMultiple(value: number, step: number): boolean {
  const ratio = value / step;
  return Math.abs(ratio - Math.round(ratio)) <= TOLERANCE || isDecimalMultiple(value, step);
}

/** Compares the numbers as they are written, because the ratio of large ones has an error of its own. */
function isDecimalMultiple(value: number, step: number): boolean {
  const one = decimalOf(value);
  const other = decimalOf(step);
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(one) % scaled(other) === 0n;
}

/** `digits` × 10 to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(number: number): Decimal {
  const [digits = '0', exponent = '0'] = number.toExponential().split('e');
  const [whole = '0', fraction = ''] = digits.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
