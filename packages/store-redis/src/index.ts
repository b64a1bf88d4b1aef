/** For hosts that run as several replicas: what they share, on Redis. */
export { redisStore, type RedisStoreOptions } from './redis-store.js';
export { redisCache, type RedisCacheOptions } from './cache/redis-cache.js';
export { fromIoredis, type IoredisClient, type RedisClient } from './client/redis-client.js';
