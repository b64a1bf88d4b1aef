import type { ErrorCode, FittingsError } from '@mcp-fittings/client-core';

/** Functions and options of the packages, which a user of the command line cannot call or set. */
const FOR_PROGRAMMERS =
  /createHost|\b(?:host|provider)\.\w+\(|\b\w+\(\{|\b\w+\(\)|of the provider|auth plugin|\bPass (?:an?|it|the|`|"|')|`(?:confirm|fetch|isolation|execPath|maxQueuedBytes|maxMessageBytes|maxPings)\b|sign-in package/;

const signIn = ({ server }: FittingsError): string => `Sign in: fittings login ${server ?? '<server>'}`;

/** What a user can do instead, by code. */
const HINTS: Partial<Record<ErrorCode, string | ((error: FittingsError) => string)>> = {
  TRANSPORT_UNKNOWN:
    'Correct "type" in the entry, or name a package that provides it with --plugin <package>.',
  STORE_UNAVAILABLE: 'Keep credentials in a private file instead: --store file, or FITTINGS_STORE=file.',
  AUTH_REQUIRED: signIn,
  AUTH_REJECTED: signIn,
  AUTH_FAILED: signIn,
  AUTH_SCOPE_INSUFFICIENT: signIn,
  SERVER_UNKNOWN: 'See what is configured: fittings list. Add a server: fittings add --help.',
  SERVER_DISABLED: ({ server }) => `Enable it: fittings enable ${server ?? '<server>'}`,
  TOOL_UNKNOWN: ({ server }) => `List its tools: fittings list tools ${server ?? ''}`.trimEnd(),
  ARGUMENTS_INVALID: ({ server }) => `See the arguments: fittings list tools ${server ?? ''} --verbose`,
  POLICY_DENIED: 'To allow it, change the permissions in the entry of the server.',
  ENDPOINT_INCOMPATIBLE: 'Check the URL. If the server speaks HTTP+SSE, set "type": "sse" in its entry.',
};

/** Options of the packages that have an option of the command line, by what the hint of the package names. */
const OPTIONS: readonly (readonly [RegExp, (error: FittingsError) => string])[] = [
  [/`replace: true`/, () => 'Choose another name, or replace it with --replace.'],
  [
    /`consent` callback/,
    ({ server }) =>
      `Run this once at a terminal, where you are asked: fittings login ${server ?? '<server>'} --store file`,
  ],
];

/** For these our hint is always the better one. */
const ALWAYS: ReadonlySet<ErrorCode> = new Set(['TRANSPORT_UNKNOWN', 'STORE_UNAVAILABLE']);

/** The hint of an error as a user of the command line can follow it; undefined if there is none. */
export function hintForPerson(error: FittingsError): string | undefined {
  const { code, hint } = error;
  const option = OPTIONS.find(([pattern]) => hint !== undefined && pattern.test(hint));
  if (option !== undefined) return option[1](error);
  const isOurs = ALWAYS.has(code) || (hint !== undefined && speaksToProgrammers(error, hint));
  if (!isOurs) return hint;
  const own = HINTS[code];
  return typeof own === 'function' ? own(error) : own;
}

/** A tool is called again by a model, not by a person. */
function speaksToProgrammers({ code }: FittingsError, hint: string): boolean {
  return FOR_PROGRAMMERS.test(hint) || (code === 'ARGUMENTS_INVALID' && hint.startsWith('Call it again'));
}
