import { FittingsError, type ErrorCode, type FittingsErrorOptions } from '@mcp-fittings/client-core';
import { systemErrorCode } from '@mcp-fittings/client-core/files';

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
  const systemCode = systemErrorCode(cause);
  const [fact, hint] = KNOWN.get(systemCode) ?? [];
  const because = [fact, systemCode === undefined ? undefined : `(${systemCode})`].filter(Boolean).join(' ');
  return storeError('STORE_UNAVAILABLE', because === '' ? message : `${message} ${because}`, {
    cause,
    hint,
    details: { systemCode },
  });
}

const FREE_SPACE = 'Free some space and try again; what was stored before is still there.';
const KNOWN = new Map<string | undefined, readonly [fact: string, hint: string]>([
  ['ENOSPC', ['The disk is full', FREE_SPACE]],
  ['EDQUOT', ['The disk quota of this user is used up', FREE_SPACE]],
  ['EROFS', ['The disk is mounted read-only', 'Choose a path that can be written to.']],
  ['EACCES', ['This user has no access to it', 'Choose another path, or correct the permissions.']],
]);
