import type { HostCache } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ListKind } from '../contracts/catalog.js';
import { LIST_KINDS, validateListEntry } from '../engine/validate-list-entry.js';
import { digestOf } from '../json-values.js';
import type { Lists, ServerCatalog } from './server-catalog.js';
import type { ProtocolEra } from '../contracts/engine.js';
import type { ServerDeps } from '../setup/server-deps.js';

type Shared = Pick<ServerDeps, 'server' | 'config' | 'options' | 'principal' | 'resolve' | 'clock'>;

/**
 * The cached lists and handshake of one server, bound to its entry. What the server does not call public is also bound to the
 * user, and is not cached if the user is not known. Failures of the underlying cache are reported, and count as absent values.
 */
export class ServerCache {
  readonly #shared: Shared;
  readonly #cache: HostCache | undefined;
  readonly #entry: string;
  readonly #onError: (error: unknown) => void;
  /** Kept in memory too, so that a reconnect needs no probe. */
  #era: ProtocolEra | undefined;
  #owner: string | undefined;
  /** The lists to write next. */
  #newest: { readonly key: string; readonly value: object; readonly owner: string | undefined } | undefined;
  #writing: Promise<void> | undefined;

  constructor(shared: Shared, onError: (error: unknown) => void) {
    this.#shared = shared;
    this.#cache = shared.options.cache;
    this.#entry = digestOf([shared.server, shared.config]);
    this.#onError = onError;
  }

  /** Returns the cached era. Also determines the user of the connection that is being made, for everything cached later. */
  async era(): Promise<ProtocolEra | undefined> {
    const before = this.#owner;
    this.#owner = await this.#ownerNow();
    if (before !== this.#owner) this.#era = undefined;
    this.#era ??= await this.#read('era', readEra);
    return this.#era;
  }

  async rememberEra(found: ProtocolEra | undefined): Promise<void> {
    if (digestOf(found) === digestOf(this.#era)) return;
    this.#era = found;
    const key = found === undefined ? undefined : this.#keyOf('era', isPublicEra(found));
    const others = [this.#keyOf('era', false), this.#keyOf('era', true)].filter((other) => other !== key);
    await Promise.all(
      others.map(async (other) => {
        if (other !== undefined) await this.#quietly(this.#cache?.delete(other));
      }),
    );
    if (key !== undefined) await this.#quietly(this.#cache?.set(key, found));
  }

  /** Returns the cached lists, unless the server's time for them has passed. */
  async lists(): Promise<Lists | undefined> {
    const { server, clock } = this.#shared;
    this.#owner = await this.#ownerNow();
    return this.#read('lists', (value) => {
      const lists = readLists(value, server);
      const staleAt = isRecord(value) ? value['staleAt'] : undefined;
      return typeof staleAt === 'number' && staleAt <= clock.now() ? undefined : lists;
    });
  }

  /** Caches the lists. Writes run one after the other, and lists that were replaced meanwhile are not written. */
  rememberLists(lists: Lists, { isPublic, staleAt }: Pick<ServerCatalog, 'isPublic' | 'staleAt'>): void {
    const key = this.#keyOf('lists', isPublic);
    if (key === undefined) return;
    const value = { ...lists, ...(staleAt !== undefined && { staleAt }) };
    this.#newest = { key, value, owner: this.#owner };
    this.#writing ??= this.#writeAll();
  }

  /** Forgets the handshake if it was for the user who was signed in. */
  forget(): void {
    if (this.#era !== undefined && !isPublicEra(this.#era)) this.#era = undefined;
  }

  /** Resolves when all writes are done. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Never done before `#writing` is set.
    await Promise.resolve();
    while (this.#newest !== undefined) {
      const { key, value, owner } = this.#newest;
      this.#newest = undefined;
      // Another user may have signed in since the lists were read.
      if (key === this.#keyOf('lists', true) || owner === (await this.#ownerNow()))
        await this.#quietly(this.#cache?.set(key, value));
    }
    this.#writing = undefined;
  }

  async #read<T>(what: 'era' | 'lists', parse: (value: unknown) => T | undefined): Promise<T | undefined> {
    for (const key of [this.#keyOf(what, false), this.#keyOf(what, true)]) {
      const found = key && parse(await this.#quietly(this.#cache?.get(key)));
      if (found) return found;
    }
    return undefined;
  }

  async #quietly<T>(work: Promise<T> | undefined): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  #keyOf(what: 'era' | 'lists', isPublic: boolean): string | undefined {
    if (isPublic) return `${what}:${this.#entry}`;
    return this.#owner && `${what}:${this.#entry}:${this.#owner}`;
  }

  /** Returns the last part of a key: a digest of the current user; `undefined` if the user is not known. */
  async #ownerNow(): Promise<string | undefined> {
    const { options, principal = options.principal, resolve } = this.#shared;
    // Without a cache there is no need to read the credential store.
    if (this.#cache === undefined) return undefined;
    try {
      const { auth } = await resolve();
      // A provider without `identity` signs as the principal.
      if (auth === undefined || (auth.identity === undefined && principal !== undefined))
        return digestOf([principal]);
      if (auth.identity === undefined) return undefined;
      return digestOf([principal, 'signed in', (await auth.identity()) ?? null]);
    } catch {
      return undefined;
    }
  }
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
  const isOurs = (kind: ListKind, item: unknown): boolean =>
    isRecord(item) &&
    item['server'] === server &&
    (kind !== 'tools' || typeof item['digest'] === 'string') &&
    validateListEntry(kind, item).ignored?.length === 0;
  const isList = (kind: ListKind): boolean => {
    const list = value[kind];
    return Array.isArray(list) && list.every((item) => isOurs(kind, item));
  };
  if (!LIST_KINDS.every(isList)) return undefined;
  const { tools, prompts, resources, resourceTemplates } = value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each item was checked
  return { tools, prompts, resources, resourceTemplates } as Lists;
}
