import type { ToolRef } from '@mcp-fittings/host';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { createToolNames, type NamingStrategy, type ToolNames } from '@mcp-fittings/tools';

interface Named {
  readonly server: string;
  readonly name: string;
}

/** The names of the items of one principal. */
interface Kept {
  readonly items: readonly Named[];
  readonly names: ToolNames;
  /** Items by the names that are not listed any more, because their servers list nothing now. */
  readonly former: ReadonlyMap<string, ToolRef>;
  isCurrent: boolean;
}

/** Principals whose names are remembered: those that use the gateway at the same time. */
const PRINCIPALS_KEPT = 256;
/** Names of one principal that are remembered while their servers list nothing. */
const FORMER_KEPT = 1000;

/**
 * Names the items of each principal where there are several servers, and remembers the names until a list has changed. They do not depend on
 * who may use which item, so that all clients of a principal call an item by one name.
 */
export class ItemNames {
  readonly #naming: NamingStrategy;
  readonly #itemsOf: (principal: string | undefined) => readonly Named[];
  readonly #kept = new RecentMap<string | undefined, Kept>(PRINCIPALS_KEPT);

  /** @param itemsOf - returns what the servers list for a principal */
  constructor(naming: NamingStrategy, itemsOf: (principal: string | undefined) => readonly Named[]) {
    this.#naming = naming;
    this.#itemsOf = itemsOf;
  }

  /** Returns the names of a principal. */
  of(principal: string | undefined): Kept {
    const known = this.#kept.get(principal);
    if (known?.isCurrent === true) return known;
    const items = this.#itemsOf(principal);
    const current = known !== undefined && isSame(known.items, items) ? known : this.#nameAll(items, known);
    current.isCurrent = true;
    this.#kept.set(principal, current);
    return current;
  }

  /** Call it when a list of the principal may have changed. */
  outdate(principal: string | undefined): void {
    const known = this.#kept.get(principal);
    if (known !== undefined) known.isCurrent = false;
  }

  #nameAll(items: readonly Named[], before: Kept | undefined): Kept {
    const names = createToolNames(
      items.map(({ server, name }) => ({ server, tool: name })),
      { naming: this.#naming },
    );
    const listing = new Set(items.map(({ server }) => server));
    const gone = [...(before?.former ?? []), ...(before?.names.entries() ?? [])].filter(
      ([, { server }]) => !listing.has(server),
    );
    return { items, names, former: new Map(gone.slice(-FORMER_KEPT)), isCurrent: true };
  }
}

function isSame(before: readonly Named[], now: readonly Named[]): boolean {
  return before.length === now.length && before.every((item, index) => item === now[index]);
}
