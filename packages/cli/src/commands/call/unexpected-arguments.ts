import { FittingsError } from '@mcp-fittings/client-core';

/** The error for what stands behind the name of the tool: arguments as other programs take them. */
export function unexpectedArguments(more: readonly string[]): FittingsError {
  const isJson = more.length === 1 && /^\s*\{/.test(more[0] ?? '');
  const arePairs = more.every((text) => /^[^=\s]+=/.test(text));
  const hint = isJson
    ? "Pass JSON with --args: --args '{…}'"
    : arePairs
      ? `Pass each with --arg: ${more.map((text) => `--arg ${text.split('=', 1)[0] ?? ''}=…`).join(' ')}`
      : "Use --arg name=value for each, or --args '{…}' for all.";
  return new FittingsError('ARGUMENTS_INVALID', 'The arguments of a tool need an option.', {
    delivery: 'not-sent',
    hint,
  });
}
