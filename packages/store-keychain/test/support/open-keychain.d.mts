import type { KeychainStore } from '@mcp-fittings/store-keychain';

/** `argument` is JSON of options. */
export function openStore(argument: string): KeychainStore;
