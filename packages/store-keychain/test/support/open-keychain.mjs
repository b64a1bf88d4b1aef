// What other processes import: a keychain on the same items. From `dist`, as an installed package would be.
import { keychainStore } from '@mcp-fittings/store-keychain';

/** `argument` is JSON of options. */
export function openStore(argument) {
  return keychainStore({ timeoutMs: 20_000, lock: { staleMs: 1000 }, ...JSON.parse(argument) });
}
