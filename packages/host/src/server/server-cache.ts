import { isRecord } from '@mcp-fittings/client-core';
import { digestOf } from '../catalog/digest.js';
import type { Lists } from '../catalog/server-catalog.js';
import type { ProtocolEra } from '../contracts/engine.js';
import type { ServerDeps } from '../setup/server-deps.js';

/**
 * What is remembered of one server between runs, bound to its entry: another entry remembers nothing. What the server
 * does not call public is bound to a person, too, and is not remembered where nobody knows to which one.
 */
export interface ServerCache {
  /** Finds out for whom the connection is that is made now; what is remembered from here on is for them. */
  era(): Promise<ProtocolEra | undefined>;
  rememberEra(era: ProtocolEra | undefined): Promise<void>;
  lists(): Promise<Lists | undefined>;
  /** Takes the newest lists; they are written one after the other, and what a newer one has replaced is not. */
  rememberLists(lists: Lists, isPublic: boolean): void;
  /** Forgets what the server said of itself to the one who was signed in. */
  forget(): void;
  /** Resolves when nothing is left to be written. */
  settled(): Promise<void>;
}

/** A cache that fails is a cache that knows nothing; `onError` is told. */
export function createServerCache(
  { server, config, options, resolve }: Pick<ServerDeps, 'server' | 'config' | 'options' | 'resolve'>,
  onError: (error: unknown) => void,
): ServerCache {
  const { cache, principal } = options;
  const entry = digestOf([server, config]);
  // Without a cache the era still holds for the life of the host, so that a reconnect needs no probe.
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

  /** For whom the server answers now, as the end of a key; undefined when nobody knows. */
  const ownerNow = async (): Promise<string | undefined> => {
    // Without a cache there is nothing to keep apart, and no reason to look into a credential store.
    if (cache === undefined) return undefined;
    try {
      const { auth } = resolve();
      // What signs without this member is the same for as long as the host knows no better.
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
    parse: (value: unknown) => T | undefined,
  ): Promise<T | undefined> => {
    for (const key of [keyOf(what, false), keyOf(what, true)]) {
      const found = key && parse(await quietly(cache?.get(key)));
      if (found) return found;
    }
    return undefined;
  };

  let newest: { readonly lists: Lists; readonly key: string; readonly owner: string | undefined } | undefined;
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    while (newest !== undefined) {
      const { lists, key, owner: then } = newest;
      newest = undefined;
      // Somebody else may have signed in since the lists were read.
      if (key === keyOf('lists', true) || then === (await ownerNow())) await quietly(cache?.set(key, lists));
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
      return read('lists', (value) => readLists(value, server));
    },
    rememberLists(lists, isPublic) {
      const key = keyOf('lists', isPublic);
      if (key === undefined) return;
      newest = { lists: { ...lists }, key, owner };
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

/** What a server says of itself may be meant for one person; that it wants a handshake is no secret. */
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
  const all = [tools, prompts, resources, resourceTemplates];
  const ours = (item: unknown): boolean => isRecord(item) && item['server'] === server;
  if (!all.every((list) => Array.isArray(list) && list.every(ours))) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by us under a key of this entry; each item was checked to be of this server
  return { tools, prompts, resources, resourceTemplates } as Lists;
}
