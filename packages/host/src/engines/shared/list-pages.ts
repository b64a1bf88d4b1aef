import { isRecord, sanitizeText } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { ListKind } from '../../contracts/catalogue.js';
import type { ListOptions } from '../../contracts/engine.js';
import type { ClientMethod } from './methods.js';

interface ListFacts {
  readonly method: ClientMethod;
  /** The member that names an entry within its server. */
  readonly key: string;
  /** Members without which an entry is useless, and what each has to be. */
  readonly members: Readonly<Record<string, (value: unknown) => boolean>>;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const LISTS: Readonly<Record<ListKind, ListFacts>> = {
  tools: { method: 'tools/list', key: 'name', members: { name: isText, inputSchema: isRecord } },
  prompts: { method: 'prompts/list', key: 'name', members: { name: isText } },
  resources: { method: 'resources/list', key: 'uri', members: { uri: isText, name: isText } },
  resourceTemplates: {
    method: 'resources/templates/list',
    key: 'uriTemplate',
    members: { uriTemplate: isText, name: isText },
  },
};

/** The member of the result that holds the entries has the name of the kind. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly left: readonly string[];
  readonly ttlMs?: number | undefined;
}

/** How many reasons for leaving something out are kept. */
const REASONS_KEPT = 20;

/**
 * Reads a whole list, page by page, under the limits. One malformed entry is left out and named, the others stay. A
 * cursor that comes back ends the list: a server can't hold us in a circle.
 */
export async function listPages<Item>(
  kind: ListKind,
  request: (method: ClientMethod, params: JSONRPCObject) => Promise<JSONRPCObject>,
  options: Pick<ListOptions, 'maxPages' | 'maxItems'>,
): Promise<Pages<Item>> {
  const { method, key, members } = LISTS[kind];
  const keys = new Set<unknown>();
  const items: Item[] = [];
  const left: string[] = [];
  const leave = (reason: string): void => {
    if (left.length < REASONS_KEPT) left.push(reason);
  };
  const seen = new Set<string>();
  let cursor: string | undefined;
  let ttlMs: number | undefined;

  for (let page = 0; page < options.maxPages; page++) {
    const result = await request(method, cursor === undefined ? {} : { cursor });
    const entries: unknown = result[kind];
    if (page === 0) ttlMs = freshFor(result);
    for (const entry of Array.isArray(entries) ? entries : []) {
      const missing = isRecord(entry)
        ? Object.entries(members).find(([name, isRight]) => !isRight(entry[name]))?.[0]
        : 'object';
      if (missing !== undefined) {
        leave(`an entry of ${method} has no valid "${missing}"${nameOf(entry)}`);
      } else if (items.length >= options.maxItems) {
        leave(`more than ${options.maxItems} entries`);
        return { items, left, ttlMs };
      } else if (isRecord(entry) && keys.has(entry[key])) {
        leave(`an entry of ${method} is there twice${nameOf(entry)}`);
      } else {
        keys.add(isRecord(entry) ? entry[key] : undefined);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that make an entry were checked
        items.push(entry as Item);
      }
    }
    const next: unknown = result['nextCursor'];
    if (typeof next !== 'string') return { items, left, ttlMs };
    if (seen.has(next)) {
      leave('a cursor that came twice');
      return { items, left, ttlMs };
    }
    seen.add(next);
    cursor = next;
  }
  leave(`more than ${options.maxPages} pages`);
  return { items, left, ttlMs };
}

function freshFor(result: JSONRPCObject): number | undefined {
  const ttl = result['ttlMs'];
  return typeof ttl === 'number' && Number.isFinite(ttl) && ttl > 0 ? ttl : undefined;
}

function nameOf(entry: unknown): string {
  const name = isRecord(entry) ? (entry['name'] ?? entry['uri']) : undefined;
  return typeof name === 'string' ? `: "${sanitizeText(name, { maxLength: 80 })}"` : '';
}
