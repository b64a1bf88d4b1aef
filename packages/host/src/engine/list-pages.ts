import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { ListKind, Listings, ListResult } from '../contracts/catalog.js';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';
import { validateListEntry } from './validate-list-entry.js';
import { measure, type Bounds } from '../json-values.js';

const LISTS: Readonly<
  Record<ListKind, { readonly method: string; readonly key: string; readonly capability: string }>
> = {
  tools: { method: 'tools/list', key: 'name', capability: 'tools' },
  prompts: { method: 'prompts/list', key: 'name', capability: 'prompts' },
  resources: { method: 'resources/list', key: 'uri', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', key: 'uriTemplate', capability: 'resources' },
};

/** Bounds of one entry, such as a tool with its schemas. The largest of a thousand real tools has 60 000 bytes. */
const ENTRY_BOUNDS: Bounds = { maxNodes: 20_000, maxDepth: 100, maxBytes: 1_048_576 };
/**
 * Most that the entries of one list may take on average, so that a list with as many ordinary entries as `limits.listItems` allows fits: a
 * tool of a real server has 61 parts and 1 900 bytes on average.
 */
const PER_ITEM = { nodes: 100, bytes: 4_096 };
/** Least that every list may take, so that a low `limits.listItems` leaves room for large entries. */
const LEAST_LIST = { nodes: 200_000, bytes: 16_777_216 };
/** Memory that one part takes at least, in bytes: an empty object counts as this many, not as the two of its JSON. */
const BYTES_PER_NODE = 32;

/** Bytes of oversized entries after which reading the list stops. */
const MAX_REFUSED_BYTES = 67_108_864;

/** Longest cursor that is sent back, in characters. Real ones have a few hundred. */
const MAX_CURSOR = 65_536;

/** Most reasons that are reported for entries that were left out. */
const MAX_REASONS = 20;

/**
 * Reads a list page by page, within the limits. Entries that are malformed or too large are left out and reported; the others
 * are kept. A repeated cursor ends the list, so that a server cannot make the host loop. A list whose capability the server does not
 * declare is empty. Rejects if a request fails, and with `PROTOCOL_VIOLATION` if a result has no list.
 */
export async function readList<Kind extends ListKind>(
  session: Pick<EngineSession, 'capabilities' | 'request' | 'unusable'>,
  kind: Kind,
  given: EngineRequestOptions & {
    /** Most pages to request. */
    readonly maxPages: number;
    /** Most entries to keep. */
    readonly maxItems: number;
    /** Bytes that the lists of all servers share; entries that do not fit are left out. Default: unlimited. */
    readonly budget?: { take(bytes: number): boolean; giveBack(bytes: number): void } | undefined;
  },
): Promise<ListResult<Kind>> {
  const { maxPages, maxItems, budget, ...options } = given;
  const { method, capability } = LISTS[kind];
  if (!isRecord(session.capabilities[capability])) return { items: [], skipped: [], isPublic: true };
  const unusable = kind === 'tools' ? (tool: JSONRPCObject) => session.unusable?.(tool) : undefined;
  const kept = new KeptEntries<Listings[Kind]>(kind, { maxItems, budget, unusable });
  const seen = new Set<string>();
  let cursor: string | undefined;
  let ttlMs: number | undefined;
  let isPublic = true;
  try {
    for (let page = 0; page < maxPages; page++) {
      const result = await session.request(method, cursor === undefined ? {} : { cursor }, options);
      // What the server does not call public is private (SEP-2549).
      isPublic &&= result['cacheScope'] === 'public';
      const fresh = freshFor(result);
      // The page that is stale first makes the list stale.
      if (page === 0 || (fresh ?? Infinity) < (ttlMs ?? Infinity)) ttlMs = fresh;
      const entries = entriesOf(kind, result);
      if (entries === null) kept.skip(`the result of ${method} has null in place of a list`);
      else if (!kept.add(entries)) return kept.list({ ttlMs, isPublic });
      const next: unknown = result['nextCursor'];
      if (typeof next !== 'string') {
        if (next !== undefined && next !== null) kept.skip('a cursor is not a string');
        return kept.list({ ttlMs, isPublic });
      }
      if (next.length > MAX_CURSOR) {
        kept.skip(`a cursor has more than ${MAX_CURSOR} characters`);
        return kept.list({ ttlMs, isPublic });
      }
      if (seen.has(next)) {
        kept.skip('a cursor is repeated');
        return kept.list({ ttlMs, isPublic });
      }
      seen.add(next);
      cursor = next;
    }
  } catch (error) {
    budget?.giveBack(kept.bytes);
    throw error;
  }
  kept.skip(`the list has more than ${maxPages} pages`);
  return kept.list({ ttlMs, isPublic });
}

interface KeptOptions extends Pick<Parameters<typeof readList>[2], 'maxItems' | 'budget'> {
  /** Returns why an entry cannot be used on this connection; `undefined` if it can. */
  readonly unusable: ((entry: JSONRPCObject) => string | undefined) | undefined;
}

/** The entries of one list that are kept, and why the others are not. */
class KeptEntries<Item> {
  readonly #kind: ListKind;
  readonly #options: KeptOptions;
  readonly #maxNodes: number;
  readonly #maxBytes: number;
  readonly #keys = new Set<unknown>();
  readonly #items: Item[] = [];
  readonly #skipped: string[] = [];
  #nodes = 0;
  #bytes = 0;
  #refused = 0;

  constructor(kind: ListKind, options: KeptOptions) {
    this.#kind = kind;
    this.#options = options;
    this.#maxNodes = Math.max(LEAST_LIST.nodes, PER_ITEM.nodes * options.maxItems);
    this.#maxBytes = Math.max(LEAST_LIST.bytes, PER_ITEM.bytes * options.maxItems);
  }

  /** Bytes of the kept entries. */
  get bytes(): number {
    return this.#bytes;
  }

  list<Rest extends object>(rest: Rest) {
    return { items: this.#items, skipped: this.#skipped, bytes: this.#bytes, ...rest };
  }

  skip(reason: string): void {
    if (this.#skipped.length < MAX_REASONS) this.#skipped.push(reason);
  }

  /** Returns `false` if the list is full. */
  add(entries: readonly unknown[]): boolean {
    return entries.every((entry) => this.#add(entry));
  }

  #add(value: unknown): boolean {
    const { method, key } = LISTS[this.#kind];
    const { maxItems, budget, unusable } = this.#options;
    if (this.#items.length >= maxItems) {
      this.skip(`the list has more than ${maxItems} entries`);
      return false;
    }
    // Before anything else reads it.
    const size = measure(value, ENTRY_BOUNDS);
    if (size.problem !== undefined) {
      this.skip(`an entry of ${method} ${size.problem}${nameOf(value)}`);
      // Many oversized entries must not cost more than a few full lists.
      this.#nodes += size.nodes;
      this.#refused += size.bytes;
      if (this.#nodes <= this.#maxNodes && this.#refused <= MAX_REFUSED_BYTES) return true;
      this.skip('the list has too many oversized entries');
      return false;
    }
    const checked = validateListEntry(this.#kind, value);
    if (checked.problem !== undefined) {
      this.skip(`an entry of ${method} has no valid "${checked.problem}"${nameOf(value)}`);
      return true;
    }
    const { entry, ignored } = checked;
    if (this.#keys.has(entry[key])) {
      this.skip(`an entry of ${method} is a duplicate${nameOf(entry)}`);
      return true;
    }
    const reason = unusable?.(entry);
    if (reason !== undefined) {
      this.skip(`an entry of ${method} ${reason}${nameOf(entry)}`);
      return true;
    }
    const cost = Math.max(size.bytes, BYTES_PER_NODE * size.nodes);
    if (this.#nodes + size.nodes > this.#maxNodes || this.#bytes + cost > this.#maxBytes) {
      this.skip(`the list has more than ${this.#maxNodes} parts or ${this.#maxBytes} bytes`);
      return false;
    }
    if (budget?.take(cost) === false) {
      this.skip('the lists of all servers together exceed limits.listBytes');
      return false;
    }
    this.#nodes += size.nodes;
    this.#bytes += cost;
    for (const name of ignored)
      this.skip(`the "${name}" of an entry of ${method} is malformed and ignored${nameOf(entry)}`);
    this.#keys.add(entry[key]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that make an entry were checked
    this.#items.push(entry as Item);
    return true;
  }
}

/** Returns the entries of a page. Some frameworks write `null` for an empty list, and others for one that they could not read. */
function entriesOf(kind: ListKind, result: JSONRPCObject): readonly unknown[] | null {
  const entries: unknown = result[kind];
  if (entries === null || Array.isArray(entries)) return entries;
  throw new FittingsError(
    'PROTOCOL_VIOLATION',
    `The result of ${LISTS[kind].method} has no "${kind}" array.`,
    {
      delivery: 'unknown',
      details: { method: LISTS[kind].method },
    },
  );
}

function freshFor(result: JSONRPCObject): number | undefined {
  const ttl = result['ttlMs'];
  return typeof ttl === 'number' && Number.isFinite(ttl) && ttl > 0 ? ttl : undefined;
}

function nameOf(entry: unknown): string {
  const name = isRecord(entry) ? (entry['name'] ?? entry['uri']) : undefined;
  return typeof name === 'string' ? `: "${sanitizeText(name, { maxLength: 80 })}"` : '';
}
