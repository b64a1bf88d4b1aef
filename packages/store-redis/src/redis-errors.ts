import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { storeError } from '@mcp-fittings/toolbox/stores';

/** Error replies that pass by themselves: a server that is starting, a failover in progress. */
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
  NOAUTH: 'Configure a user and a password for the Redis client.',
  WRONGPASS: 'Correct the user or the password of the Redis client.',
  NOPERM: 'Allow the Redis user to run EVAL and the commands of the scripts on the keys of the namespace.',
  OOM: 'Redis is out of memory: raise maxmemory. Its maxmemory-policy must be noeviction.',
  MISCONF: 'Redis cannot write to its disk: see its log.',
  READONLY: 'Connect the client to the primary: it is connected to a replica.',
};

const NOT_REACHED = 'Check that Redis is running and reachable.';

/** The code of an error reply, such as `NOPERM`; undefined when Redis did not reply. */
function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Redis 6 puts the code after the name of the script, Redis 7 before it.
  return /^(?:ERR .*?: )?(?:-?)([A-Z]{3,20})\b/.exec(error.message.slice(0, 300))?.[1];
}

/** Returns true if the same command may succeed a moment later. */
export function isTemporary(error: unknown): boolean {
  const code = replyCode(error);
  return code === undefined || TEMPORARY.has(code);
}

/**
 * Wraps an error of the client. The error is not kept as `cause`, because clients attach the command with all its
 * arguments to it.
 */
export function redisError(error: unknown): FittingsError {
  const code = replyCode(error);
  const text = sanitizeText(error instanceof Error ? error.message : String(error), { maxLength: 200 });
  if (code === 'WRONGTYPE') {
    return storeError('STORE_CORRUPT', 'A Redis key for a credential holds a value of another type.', {
      hint: 'Another program uses the same keys. Choose another `namespace`, and sign in again.',
      details: { redisCode: code, reason: 'foreign' },
    });
  }
  const message =
    code === undefined
      ? `Could not run a command of the credential store on Redis: ${text}`
      : `Redis rejected a command of the credential store: ${text}`;
  return storeError('STORE_UNAVAILABLE', message, {
    retryable: isTemporary(error),
    hint: code === undefined ? NOT_REACHED : HINTS[code],
    details: { redisCode: code },
  });
}

export function redisTimeout(timeoutMs: number): FittingsError {
  return storeError('STORE_UNAVAILABLE', `Redis did not reply within ${timeoutMs} ms.`, {
    hint: NOT_REACHED,
    details: { timeoutMs },
  });
}

export function unexpectedReply(): FittingsError {
  return storeError(
    'STORE_UNAVAILABLE',
    'Redis returned an unexpected reply to a script of the credential store.',
    {
      retryable: false,
      hint: 'Check that the client passes replies of EVAL through unchanged.',
    },
  );
}

/** Runs work of a cache or a state; anything but a failure of Redis counts as absent. */
export async function unlessUnreadable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FittingsError && error.code === 'STORE_UNAVAILABLE') throw error;
    return undefined;
  }
}
