import type { MakeError } from '../errors/make-error.js';

/** Visible ASCII only, says the specification; more than this many of them leave no room for other headers. */
const VALID = /^[\x21-\x7e]{1,4096}$/;

/** The session id of a reply to `initialize`, if it gives one. Throws `PROTOCOL_VIOLATION` on one that can't be sent back. */
export function sessionIdOf(value: string | undefined, makeError: MakeError): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (VALID.test(value)) return value;
  throw makeError(
    'PROTOCOL_VIOLATION',
    `The server gave a session id that may not be used (${value.length} characters).`,
    {
      delivery: 'unknown',
      hint: 'A session id holds visible ASCII characters only, at most 4096.',
    },
  );
}
