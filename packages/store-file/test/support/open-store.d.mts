import type { TokenStore } from '@mcp-fittings/client-core';

/** `argument` is JSON of the kind, `file`, `key` or `passphrase`, and the path. */
export function openStore(argument: string): TokenStore;
