import { FittingsError } from '@mcp-fittings/client-core';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';

const SPACE = 'Free some space, or choose smaller limits.';
const REASONS = new Map<string | undefined, readonly [reason: string, hint: string]>([
  ['ENOSPC', ['The disk is full.', SPACE]],
  ['EDQUOT', ['The disk quota of this user is exceeded.', SPACE]],
  ['EFBIG', ['The file exceeds the size limit of the process or the file system.', SPACE]],
  ['EROFS', ['The file system is read-only.', 'Choose a folder that can be written to.']],
  ['EACCES', ['Permission denied.', 'Choose another folder, or correct its permissions.']],
  ['EPERM', ['Permission denied.', 'Choose another folder, or correct its permissions.']],
  ['EMFILE', ['The process has too many open files.', 'Run fewer calls at once.']],
]);

/** Returns a `FittingsError` unchanged, and wraps everything else in `SPILL_FAILED`, with the reason of the system. */
export function asSpillError(cause: unknown, message: string): FittingsError {
  if (cause instanceof FittingsError) return cause;
  const systemCode = systemErrorCode(cause);
  const [reason, hint] = REASONS.get(systemCode) ?? [];
  const text = [message, reason, systemCode === undefined ? undefined : `(${systemCode})`];
  return new FittingsError('SPILL_FAILED', text.filter((each) => each !== undefined).join(' '), {
    cause,
    hint,
    details: { systemCode },
  });
}

/** Returns the error for a reference that leads nowhere: whether it expired or never was, the store does not know. */
export function unknownResult(): FittingsError {
  return new FittingsError(
    'RESULT_UNKNOWN',
    'There is no kept result with this reference: it expired, was removed, or belongs to another conversation.',
    { hint: 'Call the tool again that returned it.', delivery: 'not-sent' },
  );
}
