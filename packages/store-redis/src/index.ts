/**
 * Credentials, locks and a cache on Redis, shared by the replicas of a host.
 * @packageDocumentation
 */
export { redisStore, type RedisStoreOptions } from './redis-store.js';
export { redisCache, type RedisCacheOptions } from './redis-cache.js';
export { fromIoredis, type IoredisClient, type RedisClient } from './redis-client.js';
