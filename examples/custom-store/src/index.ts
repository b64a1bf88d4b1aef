export { createShelfStore, type ShelfClient, type ShelfStoreOptions } from './shelf-store.js';
