import type { TokenStore } from '@mcp-fittings/client-core';

export declare const MAX_VALUE_BYTES: number;
/** `argument` is JSON of the directory and, maybe, the flaw. */
export declare function openStore(argument: string): TokenStore;
