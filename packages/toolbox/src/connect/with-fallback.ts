import { FittingsError, TransportError } from '@mcp-fittings/client-core';

/**
 * Connects with the first transport, or with its fallback if the server does not speak the first one (`ENDPOINT_INCOMPATIBLE`). It
 * does not fall back after any other failure, because another transport does not help against missing credentials, an unreachable
 * network or a broken server. If both fail, rejects with the second error, whose `cause` then has both; that one stays as it is if
 * the fallback requires sign-in or was closed.
 *
 * @param what Names the server in that error, such as `the server "docs" over http or sse`.
 * @param fallback Gets the error of the first transport.
 */
export async function withFallback<T>(
  what: string,
  first: () => Promise<T>,
  fallback: (refused: FittingsError) => Promise<T>,
): Promise<T> {
  try {
    return await first();
  } catch (error) {
    if (!(error instanceof FittingsError && error.code === 'ENDPOINT_INCOMPATIBLE')) throw error;
    return fallback(error).catch((second: unknown) => {
      throw second === error ? error : bothFailed(what, error, second);
    });
  }
}

/** The hint is the one of the first error, because its reason is the more likely one. */
function bothFailed(what: string, first: FittingsError, second: unknown): unknown {
  if (!(second instanceof FittingsError) || second.kind === 'auth' || second.code === 'TRANSPORT_CLOSED')
    return second;
  const { code, kind, retryable, details } = second;
  const message = `Could not reach ${what}. First: ${first.message} Then: ${second.message}`;
  return new TransportError(code, message, {
    server: first.server,
    cause: new AggregateError([first, second], 'Both transports failed.'),
    kind,
    retryable,
    details,
    delivery: 'rejected',
    hint: first.hint ?? second.hint,
  });
}
