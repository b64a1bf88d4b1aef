import type { CaseGroup } from '../suite/case.js';
import type { Session } from '../suite/session.js';

type Counts = ReadonlyMap<string, number>;

/** How many things of each kind keep the process alive. */
function handles(): Counts {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function fewest(one: Counts, other: Counts): Counts {
  return new Map([...one].map(([kind, count]) => [kind, Math.min(count, other.get(kind) ?? 0)]));
}

/** What is there all the time; a test runner has timers that come and go, and would hide a leak. */
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

export const resourceCases: CaseGroup = {
  name: 'resources',
  cases: [
    {
      name: 'leaves no handle behind, also with a request in flight',
      async run(session) {
        const before = await lastingHandles(session);
        await session.open();
        session.begin('kit/silent');
        await session.assertAlive();
        await session.within(session.transport.close(), 'close() settles');
        await session.closed('onclose is called');
        // Sockets of a peer in this process close a little later.
        await session.eventually(
          () => surplus(before).length === 0,
          () => `nothing keeps the process alive after close(), but ${surplus(before).join(', ')} does`,
        );
      },
    },
  ],
};
