import type { Keychain } from '@mcp-fittings/auth-keychain';

/** `argument` is JSON of options. */
export function openStore(argument: string): Keychain;
