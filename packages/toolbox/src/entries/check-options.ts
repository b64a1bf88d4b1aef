import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '../messages.js';
import { didYouMean } from '../text/nearest-names.js';

/** The name of each option. The compiler notices one that is missing. */
export type OptionNames<Options> = Readonly<Record<keyof Options, unknown>>;

/**
 * Returns the options as members of unknown types. Throws `CONFIG_INVALID` unless they are an object with known members only: a
 * program without types would not hear that an option has another name. A member that is `undefined` counts as absent.
 * @param callee The function in the message, such as `createHost()`.
 */
export function checkOptions(
  callee: string,
  options: unknown,
  known: object,
): Readonly<Record<string, unknown>> {
  if (!isRecord(options)) {
    throw invalid(
      `The argument of ${callee} must be an object of options, not ${kindOf(options)}.`,
      `Its options are ${Object.keys(known).join(', ')}.`,
    );
  }
  for (const [name, value] of Object.entries(options))
    if (value !== undefined) checkMember(callee, 'option', name, known);
  return options;
}

/** Throws `CONFIG_INVALID` if `name` is not among the known names of the callee's members of one kind, such as `event`. */
export function checkMember(callee: string, kind: string, name: unknown, known: object): void {
  const shown = typeof name === 'string' ? name : kindOf(name);
  if (typeof name === 'string' && Object.hasOwn(known, name)) return;
  const names = Object.keys(known);
  throw invalid(
    `${callee} has no ${kind} "${shown}".`,
    didYouMean(shown, names, `Its ${kind}s are ${names.join(', ')}.`),
  );
}

/** Returns what a value is, for a message: `undefined`, `an array`, `a string`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function invalid(message: string, hint: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', message, { hint, delivery: 'not-sent' });
}
