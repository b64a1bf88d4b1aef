/** A cache on disk for `createHost({ cache })`. */
export { fileCache, type FileCacheOptions } from './cache/file-cache.js';
