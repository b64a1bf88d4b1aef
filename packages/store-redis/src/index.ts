/**
 * Credentials, locks, a cache and the state of a gateway on Redis, shared by replicas.
 * @packageDocumentation
 */
export { redisStore, type RedisStoreOptions } from './redis-store.js';
export { redisCache, type RedisCacheOptions } from './redis-cache.js';
export { redisSharedState, type RedisSharedStateOptions } from './redis-shared-state.js';
export { fromIoredis, type IoredisClient, type RedisClient } from './redis-client.js';
