import { entryName, storeError } from '@mcp-fittings/toolbox/stores';

/** The Redis keys of one entry. The braces put all of them into one slot of a cluster. */
export interface RedisKeys {
  /** Name of the entry, to which its encrypted value is bound. */
  readonly entry: string;
  /** Holds the value. */
  readonly value: string;
  /** Holds the token of the current lock holder; expires by itself. */
  readonly lease: string;
  /** Holds the token of the last lock holder. */
  readonly fence: string;
}

const NAMESPACE = /^[\w.:@/-]{1,128}$/;

/** Names are hashes, so that they do not reveal servers or users. Throws `CONFIG_INVALID`. */
export function createRedisKeys(namespace: string): (kind: string, key: string) => RedisKeys {
  if (!NAMESPACE.test(namespace)) {
    throw storeError(
      'CONFIG_INVALID',
      'The `namespace` of a Redis store is too long, empty, or has a character that is not allowed.',
      { hint: 'Use 1 to 128 letters, digits and the characters . : @ / _ -' },
    );
  }
  return (kind, key) => {
    const entry = entryName(namespace, kind, key);
    const name = (part: string): string => `${namespace}:{${entry}}:${part}`;
    return { entry, value: name('value'), lease: name('lease'), fence: name('fence') };
  };
}
