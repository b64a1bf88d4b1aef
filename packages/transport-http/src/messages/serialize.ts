import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';
import type { MakeError } from '../errors/make-error.js';

/** The body of a POST. Throws `MESSAGE_UNSERIALIZABLE`. */
export function serialize(message: JSONRPCMessage, makeError: MakeError): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw makeError('MESSAGE_UNSERIALIZABLE', 'The message can not be written as JSON.', {
      cause,
      delivery: 'not-sent',
    });
  }
}
