import type { ManualClock } from '@mcp-fittings/testkit/clock';

/** Settles when `condition` holds, which is looked at after each turn of the event loop. */
export async function when(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** The client reacts to what comes over a socket; its next timer shows that it has. */
export function timerSet(clock: ManualClock): Promise<void> {
  return when(() => clock.pending > 0);
}

/** Lets time pass from timer to timer until `condition` holds. */
export async function advanceUntil(clock: ManualClock, condition: () => boolean): Promise<void> {
  for (;;) {
    await when(() => condition() || clock.pending > 0);
    if (condition()) return;
    await clock.advance(clock.nextIn ?? 0);
  }
}
