import { randomUUID } from 'node:crypto';
import type {
  Admission,
  Clock,
  ReplicaReceiver,
  SharedLimit,
  SharedRecord,
  SharedState,
} from '@mcp-fittings/client-core';
import { isRecent, systemClock } from '@mcp-fittings/toolbox/timing';

/** Milliseconds after which what has expired is removed when something is added. */
const SWEEP_MS = 1000;

/**
 * Creates a {@link SharedState} in the memory of this process: for a gateway with one replica, and for tests, where several gateways of
 * a process share one.
 */
export function createMemoryState(
  options: {
    /** Source of time, for tests. Default: the system clock. */
    readonly clock?: Clock | undefined;
  } = {},
): SharedState {
  const { clock = systemClock } = options;
  const records = new Map<string, SharedRecord & { readonly until: number }>();
  /** Time at which each limit is whole again (the "theoretical arrival time" of GCRA). */
  const limits = new Map<string, number>();
  const replicas = new Map<string, ReplicaReceiver>();

  const find = (key: string) => {
    const record = records.get(key);
    if (record === undefined || record.until > clock.now()) return record;
    records.delete(key);
    return undefined;
  };
  let sweptAt = clock.now();
  const sweep = (): void => {
    const now = clock.now();
    if (isRecent(sweptAt, SWEEP_MS, now)) return;
    sweptAt = now;
    for (const key of records.keys()) find(key);
    for (const [key, until] of limits) if (until <= now) limits.delete(key);
  };

  return {
    async get(key) {
      const record = find(key);
      return record === undefined ? undefined : { value: record.value, version: record.version };
    },
    async set(key, value, { lifetimeMs, version }) {
      if (version !== undefined && (find(key)?.version ?? '') !== version) return false;
      sweep();
      records.set(key, { value: copyOf(value), version: randomUUID(), until: clock.now() + lifetimeMs });
      return true;
    },
    async touch(key, lifetimeMs) {
      const record = find(key);
      if (record !== undefined) records.set(key, { ...record, until: clock.now() + lifetimeMs });
      return record !== undefined;
    },
    async delete(key) {
      records.delete(key);
    },
    async admit(wanted) {
      sweep();
      return admitTo(limits, wanted, clock.now());
    },
    join(receive) {
      const id = randomUUID();
      replicas.set(id, receive);
      return {
        id,
        joined: Promise.resolve(),
        async send(to, message) {
          const copy = copyOf(message);
          if (!replicas.has(to)) return false;
          // As over a network: received later, and not by a replica that has left.
          setImmediate(() => replicas.get(to)?.(copy, id));
          return true;
        },
        replicas: async () => [...replicas.keys()],
        expect: () => ({ [Symbol.dispose]: () => undefined }),
        async leave() {
          replicas.delete(id);
        },
      };
    },
  };
}

/**
 * The generic cell rate algorithm: each request moves the time at which the limit is whole again by `intervalMs / requests`, up to
 * `intervalMs` ahead. redis-shared-state has the same in Lua.
 */
function admitTo(limits: Map<string, number>, wanted: readonly SharedLimit[], now: number): Admission {
  const next = wanted.map(({ key, requests, intervalMs }) => ({
    key,
    at: Math.max(limits.get(key) ?? 0, now) + intervalMs / requests,
    intervalMs,
  }));
  const lateMs = Math.max(0, ...next.map(({ at, intervalMs }) => at - now - intervalMs));
  // Fractions of a millisecond come from the division.
  if (lateMs > 0.001) return { admitted: false, retryAfterMs: Math.max(1, Math.ceil(lateMs)) };
  for (const { key, at } of next) limits.set(key, at);
  return { admitted: true };
}

/** Later changes by the caller have no effect, and what is not JSON behaves as it does in Redis. */
function copyOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
