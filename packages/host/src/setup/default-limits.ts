import type { HostLimits } from '../contracts/host-options.js';

/** Limits of a host without `limits`. */
export const DEFAULT_LIMITS: HostLimits = {
  connectMs: 30_000,
  discoveryMs: 15_000,
  callMs: 600_000,
  callTotalMs: 3_600_000,
  parallelConnects: 16,
  listPages: 64,
  listItems: 10_000,
  listBytes: 268_435_456,
  principals: 256,
  principalIdleMs: 300_000,
  callbackMs: 600_000,
  eventsPerSecond: 200,
};
