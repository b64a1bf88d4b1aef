import { setImmediate } from 'node:timers/promises';
import { outcomeOf } from '../deadline.js';
import type { Session, TransportCaseGroup } from '../session.js';

type Counts = ReadonlyMap<string, number>;

/** Counts the things of each kind that keep the process alive. */
function handles(): Counts {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function fewest(one: Counts, other: Counts): Counts {
  return new Map([...one].map(([kind, count]) => [kind, Math.min(count, other.get(kind) ?? 0)]));
}

/** Returns the handles that are there all the time; a test runner has timers that come and go, and would hide a leak. */
async function lastingHandles(session: Session): Promise<Counts> {
  let lasting = handles();
  for (let sample = 0; sample < 3; sample++) {
    await session.moment();
    lasting = fewest(lasting, handles());
  }
  return lasting;
}

function surplus(before: Counts): string[] {
  return [...handles()].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0);
    return more > 0 ? [`${String(more)} ${kind}`] : [];
  });
}

/** Rejects while more is open than `before`, and sees to it that the run ends all the same. */
async function expectNothingMore(session: Session, before: Counts, when: string): Promise<void> {
  try {
    // Sockets of a peer in this process close a little later.
    await session.eventually(
      () => surplus(before).length === 0,
      () => `nothing keeps the process alive after ${when}, but ${surplus(before).join(', ')} does`,
    );
  } catch (error) {
    endHangingRun(session, before);
    throw error;
  }
}

/** The timer does not keep the process alive: when it fires, something else did. */
function endHangingRun({ hangMs }: Session, before: Counts): void {
  if (hangMs <= 0) return;
  const end = (): void => {
    const held = surplus(before);
    if (held.length === 0) return;
    process.stderr.write(
      `The transport leaves ${held.join(', ')} behind; the contract suite ends the run.\n`,
    );
    process.exit(1);
  };
  setTimeout(end, hangMs).unref();
}

/** Moments at which a start may be interrupted: before anything has happened, or in the middle of it. */
const MOMENTS: readonly { readonly name: string; readonly pass: () => Promise<void> | undefined }[] = [
  { name: 'at once', pass: () => undefined },
  { name: 'a promise job later', pass: () => Promise.resolve() },
  { name: 'a turn later', pass: () => setImmediate() },
];

export const resourceCases: TransportCaseGroup = {
  name: 'resources',
  cases: [
    {
      name: 'leaves no handle open, also with a request in flight',
      async run(session) {
        const before = await lastingHandles(session);
        await session.open();
        session.begin('kit/silent');
        await session.assertAlive();
        await session.within(session.transport.close(), 'close() settles');
        await session.closed('onclose is called');
        await expectNothingMore(session, before, 'close()');
      },
    },
    ...MOMENTS.map(({ name, pass }) => ({
      // M5
      name: `leaves no handle open when it is closed during start(), ${name}`,
      async run(session: Session) {
        const before = await lastingHandles(session);
        const started = outcomeOf(session.transport.start());
        const waiting = pass();
        if (waiting !== undefined) await waiting;
        await session.within(session.transport.close(), 'close() during start() settles');
        await session.within(started, 'start() settles');
        await expectNothingMore(session, before, 'a close() during start()');
      },
    })),
  ],
};
