import type { Clock } from '@mcp-fittings/client-core';
import type { SessionRecord, SessionStore } from '../../src/contracts/session-store.js';

/** A store that several gateways of one test share. */
export function createSharedStore(clock: Clock): SessionStore & { readonly size: number } {
  const records = new Map<string, { readonly record: SessionRecord; readonly until: number }>();
  const fresh = (id: string): SessionRecord | undefined => {
    const kept = records.get(id);
    return kept !== undefined && kept.until > clock.now() ? kept.record : undefined;
  };
  return {
    get size() {
      return records.size;
    },
    get: async (id) => fresh(id),
    async save(record, ttlMs) {
      // Only what JSON can carry reaches another process.
      const copy = JSON.parse(JSON.stringify(record)) as SessionRecord;
      records.set(record.id, { record: copy, until: clock.now() + ttlMs });
    },
    async touch(id, ttlMs) {
      const record = fresh(id);
      if (record !== undefined) records.set(id, { record, until: clock.now() + ttlMs });
      return record !== undefined;
    },
    async delete(id) {
      records.delete(id);
    },
  };
}
