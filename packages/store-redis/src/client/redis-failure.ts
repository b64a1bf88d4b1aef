import { sanitizeText, type FittingsError } from '@mcp-fittings/client-core/auth';
import { storeError } from '@mcp-fittings/store-file/toolkit';

/** Replies that end by themselves: a server that starts, a fail-over that is under way. */
const TEMPORARY = new Set([
  'LOADING',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'NOREPLICAS',
  'BUSY',
]);
const HINTS: Readonly<Record<string, string>> = {
  NOAUTH: 'Give the Redis client a user and a password.',
  WRONGPASS: 'Correct the user and the password of the Redis client.',
  NOPERM: 'Let the Redis user run EVAL and the commands of the scripts on the keys of the namespace.',
  OOM: 'Redis is full: give it more memory. Its policy has to be noeviction.',
  MISCONF: 'Redis can not write to its disk.',
  READONLY: 'The client is connected to a replica; connect it to the primary.',
};

/** The code of an error reply, such as `NOPERM`; undefined where Redis did not answer at all. */
function replyCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Redis 6 puts the code behind the name of the script, Redis 7 in front.
  return /^(?:ERR .*?: )?(?:-?)([A-Z]{3,20})\b/.exec(error.message.slice(0, 300))?.[1];
}

/** Whether the same command may succeed in a moment. */
export function isTemporary(error: unknown): boolean {
  const code = replyCodeOf(error);
  return code === undefined || TEMPORARY.has(code);
}

/**
 * What the client rejected with, as ours. Not kept as `cause`: clients add the command with all its arguments, and the
 * text is the server's.
 */
export function redisFailure(error: unknown): FittingsError {
  const code = replyCodeOf(error);
  const text = sanitizeText(error instanceof Error ? error.message : String(error), { maxLength: 200 });
  if (code === 'WRONGTYPE') {
    return storeError('STORE_CORRUPT', 'Something else lies where a credential was stored in Redis.', {
      hint: 'Sign in again: that replaces it. Give the credentials a namespace of their own.',
      details: { redisCode: code, reason: 'foreign' },
    });
  }
  return storeError('STORE_UNAVAILABLE', `Redis did not do what it was asked: ${text}`, {
    retryable: isTemporary(error),
    hint: code === undefined ? 'Check that Redis runs and can be reached.' : HINTS[code],
    details: { redisCode: code },
  });
}

export function redisSilent(timeoutMs: number): FittingsError {
  return storeError('STORE_UNAVAILABLE', `Redis gave no answer within ${timeoutMs} ms.`, {
    hint: 'Check that Redis runs and can be reached.',
    details: { timeoutMs },
  });
}

export function strangeReply(): FittingsError {
  return storeError('STORE_UNAVAILABLE', 'Redis gave an answer that no script gives.', { retryable: false });
}
