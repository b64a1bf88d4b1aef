import { FittingsError, type ErrorCode, type FittingsErrorOptions } from '@mcp-fittings/client-core';
import { systemCodeOf } from '@mcp-fittings/client-core/files';

/** An error of a credential store: always of kind `auth`, as the contract of `TokenStore` says. */
export function storeError(
  code: ErrorCode,
  message: string,
  options: Omit<FittingsErrorOptions, 'kind'> = {},
): FittingsError {
  return new FittingsError(code, message, { ...options, kind: 'auth' });
}

/** Passes on what is typed already and gives everything else, mostly errors of the file system, a code. */
export function asStoreError(cause: unknown, message: string): FittingsError {
  if (cause instanceof FittingsError) return cause;
  const systemCode = systemCodeOf(cause);
  return storeError('STORE_UNAVAILABLE', systemCode === undefined ? message : `${message} (${systemCode})`, {
    cause,
    details: { systemCode },
  });
}
