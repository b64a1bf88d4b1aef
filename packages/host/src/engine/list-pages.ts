import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { ListKind } from '../contracts/catalog.js';
import type { ListOptions } from '../contracts/engine.js';
import { validateListEntry } from './validate-list-entry.js';
import { measure, type Bounds } from '../json-values.js';

/** Requests that a host sends. */
export type ClientMethod =
  | 'completion/complete'
  | 'logging/setLevel'
  | 'ping'
  | 'prompts/get'
  | 'prompts/list'
  | 'resources/list'
  | 'resources/read'
  | 'resources/subscribe'
  | 'resources/templates/list'
  | 'resources/unsubscribe'
  | 'server/discover'
  | 'tools/call'
  | 'tools/list';

const LISTS: Readonly<Record<ListKind, { readonly method: ClientMethod; readonly key: string }>> = {
  tools: { method: 'tools/list', key: 'name' },
  prompts: { method: 'prompts/list', key: 'name' },
  resources: { method: 'resources/list', key: 'uri' },
  resourceTemplates: { method: 'resources/templates/list', key: 'uriTemplate' },
};

/** Bounds of one entry, such as a tool with its schemas. The largest of a thousand real tools has 60 000 bytes. */
const ENTRY_BOUNDS: Bounds = { maxNodes: 20_000, maxDepth: 100, maxBytes: 1_048_576 };
/**
 * What the entries of one list may take on average, so that a list with as many ordinary entries as `limits.listItems` allows fits:
 * a tool of a real server has 61 parts and 1 900 bytes on average.
 */
const PER_ITEM = { nodes: 100, bytes: 4_096 };
/** What every list may take, so that a low `limits.listItems` leaves room for large entries. */
const LEAST_LIST = { nodes: 200_000, bytes: 16_777_216 };
/** Memory that one part takes at least, in bytes: an empty object counts as this many, not as the two of its JSON. */
const BYTES_PER_NODE = 32;

/** Bytes of oversized entries after which reading the list stops. */
const MAX_REFUSED_BYTES = 67_108_864;

/** Longest cursor that is sent back, in characters. Real ones have a few hundred. */
const MAX_CURSOR = 65_536;

/** A list that was read to its end or to a limit. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly skipped: readonly string[];
  readonly ttlMs?: number | undefined;
  /** Bytes of the kept entries. */
  readonly bytes: number;
}

/** Most reasons that are reported for entries that were left out. */
const MAX_REASONS = 20;

export interface ListPagesOptions extends Pick<ListOptions, 'budget' | 'maxItems' | 'maxPages'> {
  /** Returns why an entry cannot be used on this connection; `undefined` if it can. */
  readonly unusable?: ((entry: JSONRPCObject) => string | undefined) | undefined;
}

/**
 * Reads a list page by page, within the limits. Entries that are malformed or too large are left out and reported; the others
 * are kept. A repeated cursor ends the list, so that a server cannot make the host loop. Rejects if a request fails, and with
 * `PROTOCOL_VIOLATION` if a result has no list.
 */
export async function listPages<Item>(
  kind: ListKind,
  request: (method: ClientMethod, params: JSONRPCObject) => Promise<JSONRPCObject>,
  options: ListPagesOptions,
): Promise<Pages<Item>> {
  const { method } = LISTS[kind];
  const kept = createKept<Item>(kind, options);
  const seen = new Set<string>();
  let cursor: string | undefined;
  let ttlMs: number | undefined;
  try {
    for (let page = 0; page < options.maxPages; page++) {
      const result = await request(method, cursor === undefined ? {} : { cursor });
      const fresh = freshFor(result);
      // The page that is stale first makes the list stale.
      if (page === 0 || (fresh ?? Infinity) < (ttlMs ?? Infinity)) ttlMs = fresh;
      const entries = entriesOf(kind, result);
      if (entries === null) kept.skip(`the result of ${method} has null in place of a list`);
      else if (!kept.add(entries)) return { ...kept.pages(), ttlMs };
      const next: unknown = result['nextCursor'];
      if (typeof next !== 'string') {
        if (next !== undefined && next !== null) kept.skip('a cursor is not a string');
        return { ...kept.pages(), ttlMs };
      }
      if (next.length > MAX_CURSOR) {
        kept.skip(`a cursor has more than ${MAX_CURSOR} characters`);
        return { ...kept.pages(), ttlMs };
      }
      if (seen.has(next)) {
        kept.skip('a cursor is repeated');
        return { ...kept.pages(), ttlMs };
      }
      seen.add(next);
      cursor = next;
    }
  } catch (error) {
    options.budget?.giveBack(kept.pages().bytes);
    throw error;
  }
  kept.skip(`the list has more than ${options.maxPages} pages`);
  return { ...kept.pages(), ttlMs };
}

interface Kept<Item> {
  /** Returns `false` if the list is full. */
  add(entries: readonly unknown[]): boolean;
  skip(reason: string): void;
  pages(): Pages<Item>;
}

function createKept<Item>(kind: ListKind, options: ListPagesOptions): Kept<Item> {
  const { method, key } = LISTS[kind];
  const { maxItems, budget, unusable } = options;
  const maxNodes = Math.max(LEAST_LIST.nodes, PER_ITEM.nodes * maxItems);
  const maxBytes = Math.max(LEAST_LIST.bytes, PER_ITEM.bytes * maxItems);
  const keys = new Set<unknown>();
  const items: Item[] = [];
  const skipped: string[] = [];
  let nodes = 0;
  let bytes = 0;
  let refused = 0;
  const skip = (reason: string): void => {
    if (skipped.length < MAX_REASONS) skipped.push(reason);
  };

  const add = (value: unknown): boolean => {
    if (items.length >= maxItems) {
      skip(`the list has more than ${maxItems} entries`);
      return false;
    }
    // Before anything else reads it.
    const size = measure(value, ENTRY_BOUNDS);
    if (size.problem !== undefined) {
      skip(`an entry of ${method} ${size.problem}${nameOf(value)}`);
      // Many oversized entries must not cost more than a few full lists.
      nodes += size.nodes;
      refused += size.bytes;
      if (nodes <= maxNodes && refused <= MAX_REFUSED_BYTES) return true;
      skip('the list has too many oversized entries');
      return false;
    }
    const checked = validateListEntry(kind, value);
    if (checked.problem !== undefined) {
      skip(`an entry of ${method} has no valid "${checked.problem}"${nameOf(value)}`);
      return true;
    }
    const { entry, ignored } = checked;
    if (keys.has(entry[key])) {
      skip(`an entry of ${method} is a duplicate${nameOf(entry)}`);
      return true;
    }
    const reason = unusable?.(entry);
    if (reason !== undefined) {
      skip(`an entry of ${method} ${reason}${nameOf(entry)}`);
      return true;
    }
    const cost = Math.max(size.bytes, BYTES_PER_NODE * size.nodes);
    if (nodes + size.nodes > maxNodes || bytes + cost > maxBytes) {
      skip(`the list has more than ${maxNodes} parts or ${maxBytes} bytes`);
      return false;
    }
    if (budget?.take(cost) === false) {
      skip('the lists of all servers together exceed limits.listBytes');
      return false;
    }
    nodes += size.nodes;
    bytes += cost;
    for (const name of ignored)
      skip(`the "${name}" of an entry of ${method} is malformed and ignored${nameOf(entry)}`);
    keys.add(entry[key]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that make an entry were checked
    items.push(entry as Item);
    return true;
  };

  return {
    add: (entries) => entries.every(add),
    skip,
    pages: () => ({ items, skipped, bytes }),
  };
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
