import type { Clock } from '@mcp-fittings/client-core';

/** Returns a clock that runs what is due when a test says so. */
export function manualClock(): Clock & { pass(ms: number): void; readonly timers: number } {
  const due = new Set<{ readonly task: () => void; readonly at: number }>();
  let now = 0;
  return {
    now: () => now,
    schedule(task, ms) {
      const entry = { task, at: now + ms };
      due.add(entry);
      return { [Symbol.dispose]: () => void due.delete(entry) };
    },
    pass(ms) {
      now += ms;
      for (const entry of due) {
        if (entry.at > now) continue;
        due.delete(entry);
        entry.task();
      }
    },
    get timers() {
      return due.size;
    },
  };
}
