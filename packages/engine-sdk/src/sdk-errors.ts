import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { connectionError, otherError, type FailedRequest } from '@mcp-fittings/host/engine';

/** Both SDKs throw a plain `Error` for a request after the end of the connection. */
const NOT_CONNECTED = 'Not connected';

/** Both SDKs throw a plain `Error` if the server chooses a revision that they do not support. */
const REVISION_REFUSED = "Server's protocol version is not supported";

/** Converts an error of an SDK that has no class of its own. */
export function fromPlainError(error: unknown, failed: FailedRequest): FittingsError {
  const text = error instanceof Error && !(error instanceof FittingsError) ? error.message : '';
  if (failed.signal?.aborted !== true) {
    if (text === NOT_CONNECTED) return connectionError(failed, 'not-sent', error);
    if (text.startsWith(REVISION_REFUSED)) {
      const { server, what } = failed;
      return new FittingsError(
        'VERSION_UNSUPPORTED',
        `Could not complete ${what} with the server "${server}": ${sanitizeText(text)}`,
        { server, cause: error, delivery: 'unknown' },
      );
    }
  }
  return otherError(failed, error, 'PROTOCOL_VIOLATION');
}
