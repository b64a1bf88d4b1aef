import type { TokenStore } from '@mcp-fittings/client-core';
import type { RedisClient } from '@mcp-fittings/store-redis';

export interface OpenStoreArgument {
  readonly client: 'redis' | 'ioredis';
  readonly port: number;
  readonly namespace: string;
}

/** A client that reconnects for as long as the test runs. */
export function openClient(
  argument: Pick<OpenStoreArgument, 'client' | 'port'>,
): Promise<RedisClient & AsyncDisposable>;

/** `argument` is JSON of {@link OpenStoreArgument}. */
export function openStore(argument: string): Promise<TokenStore & AsyncDisposable>;
