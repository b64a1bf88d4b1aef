import type { ManualClock } from '@mcp-fittings/testkit/clock';

/** Settles when `condition` holds, which is looked at after each turn of the event loop. */
export async function when(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** What an open event stream may be silent: the timer of that is not one that a test waits for. */
const SILENCE_MS = 100_000;
/** What a server has to answer `initialize` of a new session, as long as that is in flight: the client reacts to the answer, not to this timer. */
const HANDSHAKE_MS = 30_000;

/** The client reacts to what comes over a socket; its next timer shows that it has. */
export function timerSet(clock: ManualClock): Promise<void> {
  return when(() => hasReacted(clock));
}

/** Lets time pass from timer to timer until `condition` holds. */
export async function advanceUntil(clock: ManualClock, condition: () => boolean): Promise<void> {
  for (;;) {
    await when(() => condition() || hasReacted(clock));
    if (condition()) return;
    await clock.advance(clock.nextIn ?? 0);
  }
}

function hasReacted({ nextIn }: ManualClock): boolean {
  return nextIn !== undefined && nextIn < SILENCE_MS && nextIn !== HANDSHAKE_MS;
}
