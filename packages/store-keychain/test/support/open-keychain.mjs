// Imported by other processes: a store on the same items. From `dist`, like an installed package.
import { keychainStore } from '@mcp-fittings/store-keychain';

/** `argument` is JSON of options. */
export function openStore(argument) {
  return keychainStore({ timeoutMs: 20_000, lock: { staleMs: 1000 }, ...JSON.parse(argument) });
}
