import { describe, it } from 'vitest';
import { tokenStoreSuite } from '@mcp-fittings/testkit/token-store';
import { createShelfStore, MAX_VALUE_BYTES, type ShelfClient } from '../src/index.js';

/** Replaces the service. */
function createShelf(): ShelfClient {
  const texts = new Map<string, string>();
  return {
    read: async (name) => texts.get(name),
    write: async (name, written) => void texts.set(name, written),
    remove: async (name) => void texts.delete(name),
  };
}

tokenStoreSuite(
  { describe, it },
  {
    name: 'shelf',
    capabilities: { maxValueBytes: MAX_VALUE_BYTES },
    async setup() {
      return { store: createShelfStore({ client: createShelf() }), teardown: async () => undefined };
    },
  },
);
