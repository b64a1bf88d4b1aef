import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ListKind } from '../contracts/catalog.js';
import { validateListEntry } from '../engine/validate-list-entry.js';
import { digestOf } from '../json-values.js';
import type { Lists, ServerCatalog } from './server-catalog.js';
import type { ProtocolEra } from '../contracts/engine.js';
import type { ServerDeps } from '../setup/server-deps.js';

/**
 * The cached lists and handshake of one server, bound to its entry. What the server does not call public is also bound to the
 * user, and is not cached if the user is not known.
 */
export interface ServerCache {
  /** Returns the cached era. Also determines the user of the connection that is being made, for everything cached later. */
  era(): Promise<ProtocolEra | undefined>;
  rememberEra(era: ProtocolEra | undefined): Promise<void>;
  /** Returns the cached lists, unless the server's time for them has passed. */
  lists(): Promise<Lists | undefined>;
  /** Caches the lists. Writes run one after the other, and lists that were replaced meanwhile are not written. */
  rememberLists(lists: Lists, read: Pick<ServerCatalog, 'isPublic' | 'staleAt'>): void;
  /** Forgets the handshake if it was for the user who was signed in. */
  forget(): void;
  /** Resolves when all writes are done. */
  settled(): Promise<void>;
}

/** Creates the cache of one server. Failures of the underlying cache are reported to `onError`, and count as absent values. */
export function createServerCache(
  {
    server,
    config,
    options,
    principal = options.principal,
    resolve,
    clock,
  }: Pick<ServerDeps, 'server' | 'config' | 'options' | 'principal' | 'resolve' | 'clock'>,
  onError: (error: unknown) => void,
): ServerCache {
  const { cache } = options;
  const entry = digestOf([server, config]);
  // Kept in memory too, so that a reconnect needs no probe.
  let era: ProtocolEra | undefined;
  let owner: string | undefined;

  const quietly = async <T>(work: Promise<T> | undefined): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      onError(error);
      return undefined;
    }
  };

  /** Returns the last part of a key: a digest of the current user; `undefined` if the user is not known. */
  const ownerNow = async (): Promise<string | undefined> => {
    // Without a cache there is no need to read the credential store.
    if (cache === undefined) return undefined;
    try {
      const { auth } = resolve();
      // A provider without `identity` signs as the principal.
      if (auth === undefined || (auth.identity === undefined && principal !== undefined))
        return digestOf([principal]);
      if (auth.identity === undefined) return undefined;
      return digestOf([principal, 'signed in', (await auth.identity()) ?? null]);
    } catch {
      return undefined;
    }
  };

  const keyOf = (what: 'era' | 'lists', isPublic: boolean): string | undefined => {
    if (isPublic) return `${what}:${entry}`;
    return owner && `${what}:${entry}:${owner}`;
  };
  const read = async <T>(
    what: 'era' | 'lists',
    parse: (value: unknown, key: string) => T | undefined,
  ): Promise<T | undefined> => {
    for (const key of [keyOf(what, false), keyOf(what, true)]) {
      const found = key && parse(await quietly(cache?.get(key)), key);
      if (found) return found;
    }
    return undefined;
  };

  /** What the cache holds, as far as it is known. */
  let stored: StoredLists | undefined;
  let newest: (StoredLists & { readonly owner: string | undefined }) | undefined;
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    // Never done before `writing` is set.
    await Promise.resolve();
    while (newest !== undefined) {
      const { lists, key, staleAt, owner: then } = newest;
      newest = undefined;
      // Most servers list the same in each run: writing it again would cost two flushes of the disk.
      if (stored?.key === key && stored.staleAt === staleAt && areEqual(stored.lists, lists)) {
        stored = { key, lists, staleAt };
        continue;
      }
      // Another user may have signed in since the lists were read.
      if (key !== keyOf('lists', true) && then !== (await ownerNow())) continue;
      const write = async (): Promise<void> => {
        await cache?.set(key, { ...lists, ...(staleAt !== undefined && { staleAt }) });
        stored = { key, lists, staleAt };
      };
      await quietly(write());
    }
    writing = undefined;
  };

  return {
    async era() {
      const before = owner;
      owner = await ownerNow();
      if (before !== owner) era = undefined;
      era ??= await read('era', readEra);
      return era;
    },
    async rememberEra(found) {
      if (digestOf(found) === digestOf(era)) return;
      era = found;
      const keys = [keyOf('era', false), keyOf('era', true)];
      const key = found === undefined ? undefined : keyOf('era', isPublicEra(found));
      await Promise.all(
        keys.map((each) =>
          each === undefined || each === key ? Promise.resolve() : quietly(cache?.delete(each)),
        ),
      );
      if (key !== undefined) await quietly(cache?.set(key, found));
    },
    async lists() {
      owner = await ownerNow();
      return read('lists', (value, key) => {
        const lists = readLists(value, server);
        if (lists === undefined) return undefined;
        const staleAt =
          isRecord(value) && typeof value['staleAt'] === 'number' ? value['staleAt'] : undefined;
        stored = { key, lists, staleAt };
        return staleAt !== undefined && staleAt <= clock.now() ? undefined : lists;
      });
    },
    rememberLists(lists, { isPublic, staleAt }) {
      const key = keyOf('lists', isPublic);
      if (key === undefined) return;
      newest = { lists: { ...lists }, key, staleAt, owner };
      writing ??= writeAll();
    },
    forget() {
      if (era !== undefined && !isPublicEra(era)) era = undefined;
    },
    async settled() {
      await writing;
    },
  };
}

interface StoredLists {
  readonly key: string;
  readonly lists: Lists;
  readonly staleAt: number | undefined;
}

/** Lists that were read once and not again are the same arrays, whatever their size. */
function areEqual(some: Lists, others: Lists): boolean {
  const kinds = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
  return kinds.every(
    (kind) => some[kind] === others[kind] || JSON.stringify(some[kind]) === JSON.stringify(others[kind]),
  );
}

/** A description of the server may be meant for one user. That it needs `initialize` is the same for all. */
function isPublicEra(era: ProtocolEra): boolean {
  return era.kind === 'initialize' || era.discover['cacheScope'] === 'public';
}

function readEra(value: unknown): ProtocolEra | undefined {
  if (!isRecord(value)) return undefined;
  if (value['kind'] === 'initialize') return { kind: 'initialize' };
  const discover = value['discover'];
  return value['kind'] === 'stateless' && isRecord(discover) ? { kind: 'stateless', discover } : undefined;
}

function readLists(value: unknown, server: string): Lists | undefined {
  if (!isRecord(value)) return undefined;
  const { tools, prompts, resources, resourceTemplates } = value;
  const all = { tools, prompts, resources, resourceTemplates };
  const isOurs = (kind: ListKind, item: unknown): boolean => {
    if (!isRecord(item) || item['server'] !== server) return false;
    if (kind === 'tools' && typeof item['digest'] !== 'string') return false;
    return validateListEntry(kind, item).ignored?.length === 0;
  };
  for (const kind of ['tools', 'prompts', 'resources', 'resourceTemplates'] as const) {
    const list = all[kind];
    if (!Array.isArray(list) || !list.every((item) => isOurs(kind, item))) return undefined;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each item was checked
  return { tools, prompts, resources, resourceTemplates } as Lists;
}
