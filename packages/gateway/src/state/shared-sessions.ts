import type { SharedState } from '@mcp-fittings/client-core';
import { isMessage, isRecord } from '@mcp-fittings/toolbox/messages';
import type { ReplicaLink } from '../contracts/replica-link.js';
import type { SessionMessages, SessionRecord, SessionStore } from '../contracts/session-store.js';

const KIND = 'session';
/** Replicas that change one session at the same time make each other try again. */
const MAX_ATTEMPTS = 20;

/** Keeps sessions in the shared state, and passes their messages between replicas. */
export function createSharedSessions(state: SharedState, link: ReplicaLink): SessionStore {
  const keyOf = (id: string): string => `session ${id}`;
  const read = async (id: string) => {
    const found = await state.get(keyOf(id));
    return found !== undefined && isSessionRecord(found.value, id)
      ? { record: found.value, version: found.version }
      : undefined;
  };

  return {
    get: async (id) => (await read(id))?.record,
    async save(record, ttlMs) {
      await state.set(keyOf(record.id), record, { lifetimeMs: ttlMs });
    },
    touch: (id, ttlMs) => state.touch(keyOf(id), ttlMs),
    delete: (id) => state.delete(keyOf(id)),
    async change(id, change, ttlMs) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const found = await read(id);
        if (found === undefined) return;
        const { version } = found;
        if (await state.set(keyOf(id), change(found.record), { lifetimeMs: ttlMs, version })) return;
      }
      throw new Error('Other replicas keep changing the session.');
    },
    peers: {
      replica: link.id,
      tell: (messages, replica) => link.announce(KIND, messages, replica),
      receive: (handler) =>
        link.hear(KIND, (body) => {
          if (isSessionMessages(body)) handler(body);
        }),
    },
  };
}

function isSessionRecord(value: unknown, id: string): value is SessionRecord {
  if (!isRecord(value) || value['id'] !== id || typeof value['callerId'] !== 'string') return false;
  const { principal, server, logLevel, subscriptions, initialize } = value;
  const texts = [principal, server, logLevel].every((text) => text === undefined || typeof text === 'string');
  return texts && isRecord(initialize) && isTexts(subscriptions);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isSessionMessages(value: unknown): value is SessionMessages {
  if (!isRecord(value) || typeof value['sessionId'] !== 'string' || typeof value['callerId'] !== 'string') {
    return false;
  }
  const { messages, ended } = value;
  return Array.isArray(messages) && messages.every(isMessage) && typeof ended === 'boolean';
}
