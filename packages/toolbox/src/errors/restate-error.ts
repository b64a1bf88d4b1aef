import { AuthRequiredError, FittingsError, type FittingsErrorOptions } from '@mcp-fittings/client-core';

/**
 * Copies an error with another server, delivery or hint, for code that knows more than what threw it. The original is the
 * `cause`.
 *
 * @example
 * ```ts
 * throw restateError(error, { server: 'notes', delivery: 'not-sent' });
 * ```
 */
export function restateError(
  error: FittingsError,
  changes: Pick<FittingsErrorOptions, 'server' | 'delivery' | 'hint'>,
): FittingsError {
  const { code, message, server, kind, retryable, hint, details, delivery } = error;
  const same = { server, kind, retryable, hint, details, delivery };
  const options = { ...same, ...changes, cause: error };
  return error instanceof AuthRequiredError
    ? new AuthRequiredError(message, { ...options, challenge: error.challenge })
    : new FittingsError(code, message, options);
}
