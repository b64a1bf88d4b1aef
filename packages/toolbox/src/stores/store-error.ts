import { type ErrorCode, FittingsError, type FittingsErrorOptions } from '@mcp-fittings/client-core';
import { systemErrorCode } from '../errors/system-errors.js';

/** Creates an error of a credential store: always of kind `auth`, as the contract of `TokenStore` requires. */
export function storeError(
  code: ErrorCode,
  message: string,
  options: Omit<FittingsErrorOptions, 'kind'> = {},
): FittingsError {
  return new FittingsError(code, message, { ...options, kind: 'auth' });
}

/**
 * Returns a `FittingsError` unchanged, and wraps every other cause in `STORE_UNAVAILABLE`. For an error of the operating
 * system the message says the reason (the disk is full, access is denied), and `details.systemCode` has its code.
 */
export function asStoreError(cause: unknown, message: string): FittingsError {
  if (cause instanceof FittingsError) return cause;
  const systemCode = systemErrorCode(cause);
  const [reason, hint] = KNOWN.get(systemCode) ?? [];
  const explanation = [reason, systemCode === undefined ? undefined : `(${systemCode})`]
    .filter(Boolean)
    .join(' ');
  return storeError('STORE_UNAVAILABLE', explanation === '' ? message : `${message} ${explanation}`, {
    cause,
    hint,
    details: { systemCode },
  });
}

const FREE_SPACE = 'Free some space and try again. What was stored before is still there.';
const KNOWN = new Map<string | undefined, readonly [reason: string, hint: string]>([
  ['ENOSPC', ['The disk is full.', FREE_SPACE]],
  ['EDQUOT', ['The disk quota of this user is exceeded.', FREE_SPACE]],
  ['EROFS', ['The file system is read-only.', 'Choose a path on a file system that can be written to.']],
  [
    'EBUSY',
    [
      'Another program has the file open.',
      'Close it there, or exclude the folder from the virus scanner, and try again.',
    ],
  ],
  [
    'EACCES',
    ['This user does not have permission to access it.', 'Choose another path, or correct its permissions.'],
  ],
]);
