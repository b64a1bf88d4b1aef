import { entryName, storeError } from '@mcp-fittings/store-file/toolkit';

/** The keys of one entry. The braces put all of them into one slot of a cluster. */
export interface KeyNames {
  /** Names the entry, wherever it is bound to a value. */
  readonly entry: string;
  readonly value: string;
  /** Who holds the lock now; ends by itself. */
  readonly lease: string;
  /** Who took the lock last. */
  readonly fence: string;
}

const NAMESPACE = /^[\w.:@/-]{1,128}$/;

/** Names are hashes: they tell nobody which servers and people there are. */
export function keyNames(namespace: string): (kind: string, key: string) => KeyNames {
  if (!NAMESPACE.test(namespace)) {
    throw storeError(
      'CONFIG_INVALID',
      'A namespace has 1 to 128 letters, digits and the characters . : @ / _ -',
    );
  }
  return (kind, key) => {
    const entry = entryName(namespace, kind, key);
    const name = (part: string): string => `${namespace}:{${entry}}:${part}`;
    return { entry, value: name('value'), lease: name('lease'), fence: name('fence') };
  };
}
