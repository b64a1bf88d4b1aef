import type { Lists } from '../catalogue/server-catalogue.js';
import type { ListKind, Offered } from '../contracts/catalogue.js';
import type { ConnectionStatus } from '../contracts/state.js';

/** Adds the state of the server to its items; the same list in the same state gives the same array again. */
export function createOffers(): <Kind extends ListKind>(
  kind: Kind,
  list: Lists[Kind],
  serverState: ConnectionStatus,
) => readonly Offered<Lists[Kind][number]>[] {
  const made = new Map<
    ListKind,
    { list: unknown; serverState: ConnectionStatus; offered: readonly unknown[] }
  >();
  return <Kind extends ListKind>(kind: Kind, list: Lists[Kind], serverState: ConnectionStatus) => {
    const last = made.get(kind);
    const offered =
      last?.list === list && last.serverState === serverState
        ? last.offered
        : list.map((item) => ({ ...item, serverState }));
    made.set(kind, { list, serverState, offered });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the items of this very list
    return offered as readonly Offered<Lists[Kind][number]>[];
  };
}
