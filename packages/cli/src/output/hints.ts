import { type ErrorCode, FittingsError } from '@mcp-fittings/client-core';

/** An error of the command line itself. Its hint names commands and options, and is shown as it is. */
export class CommandError extends FittingsError {}

type Advice = (error: FittingsError) => string | undefined;

const SIGN_IN: Advice = ({ server }) => `Sign in: fittings login ${server ?? '<server>'}`;

/**
 * Says what a user of the command line does about an error of a package, by its code and details. The hints of these codes name
 * functions and options of the packages, which a user can neither call nor set; those of all other codes are about
 * entries, files and machines, and hold for a user too.
 */
const ADVICE: Partial<Record<ErrorCode, Advice>> = {
  APPROVAL_REQUIRED: ({ server }) => `Review it: fittings approve ${server ?? ''}`.trimEnd(),
  ARGUMENTS_INVALID: ({ server }) => `See the arguments: fittings list tools ${server ?? ''} --verbose`,
  AUTH_REQUIRED: SIGN_IN,
  CONFIG_INVALID: ({ hint, details }) =>
    details['reason'] === 'name-taken' ? 'Choose another name, or replace it with --replace.' : hint,
  ENDPOINT_INCOMPATIBLE: () => 'Check the URL, and set "type" in the entry: http, sse or ws.',
  POLICY_DENIED: policyAdvice,
  SCHEMA_REFUSED: () => 'Contact the owner of the server: the schema of the tool has to change.',
  SEND_QUEUE_FULL: () => 'Try again when the server has read what was sent.',
  SERVER_DISABLED: ({ server }) => `Enable it: fittings enable ${server ?? '<server>'}`,
  SERVER_UNKNOWN: () => 'See what is configured: fittings list. Add a server: fittings add --help.',
  STORE_UNAVAILABLE: () =>
    'Keep credentials in a private file instead: --store file, or FITTINGS_STORE=file.',
  TOOL_UNKNOWN: ({ server }) => `List its tools: fittings list tools ${server ?? ''}`.trimEnd(),
  TRANSPORT_UNKNOWN: () =>
    'Correct "type" in the entry, or name a package that provides it with --plugin <package>.',
};

function policyAdvice({ hint, server, details }: FittingsError): string | undefined {
  // The file store was not allowed to write credentials unencrypted at this path.
  if (details['path'] !== undefined)
    return `Run this once at a terminal, where you are asked: fittings login ${server ?? '<server>'} --store file`;
  // Google credentials are not sent to this host, and the command line trusts no other hosts.
  if (details['recipient'] !== undefined) return undefined;
  return hint ?? 'To allow it, change the permissions in the entry of the server.';
}

/** Returns the hint of an error as a user of the command line can follow it, or undefined. */
export function hintForUser(error: FittingsError): string | undefined {
  if (error instanceof CommandError) return error.hint;
  const advice = ADVICE[error.code];
  return advice === undefined ? error.hint : advice(error);
}
