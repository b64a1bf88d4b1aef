import type { JSONRPCMessage, TransportSendOptions } from '@mcp-fittings/client-core/transport';
import type { MakeError } from '../errors/make-error.js';
import { extraHeaders } from './extra-headers.js';
import { isStateless, revisionOf } from './revision.js';
import { routingHeaders } from './routing-headers.js';

/** Servers refuse a request whose headers exceed 8 to 16 KiB in all, and say it in ways that explain nothing. */
const MAX_FIELD_LENGTH = 8192;

export interface MessageHeaders {
  readonly fields: Readonly<Record<string, string>>;
  /** The message belongs to a revision without sessions and resumption. */
  readonly stateless: boolean;
}

/** All headers of the POST of a message, except session and credentials. Throws `HEADER_INVALID` on one too long. */
export function messageHeaders(
  message: JSONRPCMessage,
  negotiated: string | undefined,
  options: TransportSendOptions,
  makeError: MakeError,
): MessageHeaders {
  const revision = revisionOf(message) ?? negotiated;
  const stateless = isStateless(revision);
  const fields: Record<string, string> = {
    ...extraHeaders(options.headers),
    ...(stateless && routingHeaders(message)),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  if (revision !== undefined) fields['mcp-protocol-version'] = revision;
  for (const [name, value] of Object.entries(fields)) {
    if (value.length <= MAX_FIELD_LENGTH) continue;
    throw makeError('HEADER_INVALID', `The header ${name} would be ${value.length} characters long.`, {
      delivery: 'not-sent',
      hint: `At most ${MAX_FIELD_LENGTH} characters are sent: use a shorter name or argument.`,
    });
  }
  return { fields, stateless };
}
