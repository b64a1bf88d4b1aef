import type { CallRequest } from '../call-request.js';
import { missingArguments } from './argument-text.js';
import { buildArguments } from './build-arguments.js';
import { matchesPlainSchema } from './plain-schema.js';

/**
 * Returns the arguments of a call; undefined if they are invalid, which the ordinary way explains, or if a validator is needed to tell.
 */
export function checkedArguments(
  { pairs, args: json }: Pick<CallRequest, 'pairs' | 'args'>,
  inputSchema: unknown,
): Record<string, unknown> | undefined {
  try {
    const args = buildArguments({ pairs, json }, inputSchema);
    if (missingArguments(args, inputSchema).length > 0) return undefined;
    return matchesPlainSchema(args, inputSchema) === true ? args : undefined;
  } catch {
    return undefined;
  }
}
