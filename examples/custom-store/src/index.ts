export {
  createShelfStore,
  MAX_VALUE_BYTES,
  type ShelfClient,
  type ShelfStoreOptions,
} from './shelf-store.js';
