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
/** Most bytes that the entries of one list may take on average: a tool of a real server has 1 900. */
const BYTES_PER_ITEM = 4096;
/** Least that every list may take, so that a low `limits.listItems` leaves room for large entries. */
const LEAST_LIST_BYTES = 16_777_216;
/** Memory that one part takes at least, in bytes: an empty object counts as this many, not as the two of its JSON. */
const BYTES_PER_NODE = 32;

/** Bytes of oversized entries after which reading the list stops: they must not cost more than a few full lists. */
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
    for (let page = 0; ; page++) {
      if (page === maxPages) {
        kept.skip(`the list has more than ${maxPages} pages`);
        break;
      }
      const result = await session.request(method, cursor === undefined ? {} : { cursor }, options);
      // What the server does not call public is private (SEP-2549).
      isPublic &&= result['cacheScope'] === 'public';
      const fresh = freshFor(result);
      // The page that is stale first makes the list stale.
      if (page === 0 || (fresh ?? Infinity) < (ttlMs ?? Infinity)) ttlMs = fresh;
      const entries = entriesOf(kind, result);
      if (entries === null) kept.skip(`the result of ${method} has null in place of a list`);
      else if (!entries.every((entry) => kept.add(entry))) break;
      const next: unknown = result['nextCursor'];
      const problem = cursorProblem(next, seen);
      if (problem !== undefined) kept.skip(problem);
      if (problem !== undefined || typeof next !== 'string') break;
      seen.add(next);
      cursor = next;
    }
  } catch (error) {
    budget?.giveBack(kept.bytes);
    throw error;
  }
  const { items, skipped, bytes } = kept;
  return { items, skipped, bytes, ttlMs, isPublic };
}

function cursorProblem(next: unknown, seen: ReadonlySet<string>): string | undefined {
  if (next === undefined || next === null) return undefined;
  if (typeof next !== 'string') return 'a cursor is not a string';
  if (next.length > MAX_CURSOR) return `a cursor has more than ${MAX_CURSOR} characters`;
  return seen.has(next) ? 'a cursor is repeated' : undefined;
}

interface KeptOptions extends Pick<Parameters<typeof readList>[2], 'maxItems' | 'budget'> {
  /** Returns why an entry cannot be used on this connection; `undefined` if it can. */
  readonly unusable: ((entry: JSONRPCObject) => string | undefined) | undefined;
}

/** The entries of one list that are kept, and why the others are not. */
class KeptEntries<Item> {
  readonly items: Item[] = [];
  readonly skipped: string[] = [];
  /** Bytes of the kept entries. */
  bytes = 0;
  readonly #kind: ListKind;
  readonly #options: KeptOptions;
  readonly #keys = new Set<unknown>();
  #refusedBytes = 0;

  constructor(kind: ListKind, options: KeptOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  skip(reason: string): void {
    if (this.skipped.length < MAX_REASONS) this.skipped.push(reason);
  }

  /** Returns `false` if the list is full. */
  add(value: unknown): boolean {
    const { key } = LISTS[this.#kind];
    const { maxItems, budget, unusable } = this.#options;
    const maxBytes = Math.max(LEAST_LIST_BYTES, BYTES_PER_ITEM * maxItems);
    if (this.items.length >= maxItems) return this.#stop(`the list has more than ${maxItems} entries`);
    // Before anything else reads it.
    const size = measure(value, ENTRY_BOUNDS);
    const cost = Math.max(size.bytes, BYTES_PER_NODE * size.nodes);
    if (size.problem !== undefined) {
      this.#refusedBytes += cost;
      this.#skipEntry(value, size.problem);
      if (this.#refusedBytes <= MAX_REFUSED_BYTES) return true;
      return this.#stop('the list has too many oversized entries');
    }
    const { entry, ignored, problem } = validateListEntry(this.#kind, value);
    const reason =
      problem !== undefined
        ? `has no valid "${problem}"`
        : this.#keys.has(entry[key])
          ? 'is a duplicate'
          : unusable?.(entry);
    if (entry === undefined || reason !== undefined) return this.#skipEntry(value, reason);
    if (this.bytes + cost > maxBytes) return this.#stop(`the list has more than ${maxBytes} bytes`);
    if (budget?.take(cost) === false)
      return this.#stop('the lists of all servers together exceed limits.listBytes');
    this.bytes += cost;
    for (const name of ignored) this.#skipEntry(entry, `has a malformed "${name}", which is ignored`);
    this.#keys.add(entry[key]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that make an entry were checked
    this.items.push(entry as Item);
    return true;
  }

  #skipEntry(entry: unknown, reason = ''): true {
    this.skip(`an entry of ${LISTS[this.#kind].method} ${reason}${nameOf(entry)}`);
    return true;
  }

  #stop(reason: string): false {
    this.skip(reason);
    return false;
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

/** Returns the time to live of a result in milliseconds; `undefined` if it has none, or not a valid one. */
export function freshFor(result: unknown): number | undefined {
  const ttl = isRecord(result) ? result['ttlMs'] : undefined;
  return typeof ttl === 'number' && Number.isFinite(ttl) && ttl > 0 ? ttl : undefined;
}

function nameOf(entry: unknown): string {
  const name = isRecord(entry) ? (entry['name'] ?? entry['uri']) : undefined;
  return typeof name === 'string' ? `: "${sanitizeText(name, { maxLength: 80 })}"` : '';
}
