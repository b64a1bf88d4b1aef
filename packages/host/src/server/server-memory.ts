import { isRecord, type HostCache, type ServerConfig } from '@mcp-fittings/client-core';
import { digestOf } from '../catalogue/digest.js';
import type { Lists } from '../catalogue/server-catalogue.js';
import type { EraVerdict } from '../contracts/engine.js';

/** What is remembered of one server between runs, bound to its entry: another entry remembers nothing. */
export interface ServerMemory {
  era(): Promise<EraVerdict | undefined>;
  rememberEra(era: EraVerdict | undefined): Promise<void>;
  lists(): Promise<Lists | undefined>;
  /** Takes the newest lists; they are written one after the other, and what a newer one has replaced is not. */
  rememberLists(lists: Lists): void;
  /** Resolves when nothing is left to be written. */
  settled(): Promise<void>;
}

/** A cache that fails is a cache that knows nothing; `onError` is told. */
export function createServerMemory(
  cache: HostCache | undefined,
  server: string,
  config: ServerConfig,
  onError: (error: unknown) => void,
): ServerMemory {
  const entry = digestOf([server, config]);
  const eraKey = `era:${entry}`;
  const listsKey = `lists:${entry}`;
  // Without a cache the verdict still holds for the life of the host, so that a reconnect needs no probe.
  let era: EraVerdict | undefined;

  const quietly = async <T>(work: Promise<T> | undefined): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      onError(error);
      return undefined;
    }
  };

  let newest: Lists | undefined;
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    while (newest !== undefined) {
      const lists = newest;
      newest = undefined;
      await quietly(cache?.set(listsKey, lists));
    }
    writing = undefined;
  };

  return {
    async era() {
      era ??= readEra(await quietly(cache?.get(eraKey)));
      return era;
    },
    async rememberEra(verdict) {
      if (digestOf(verdict) === digestOf(era)) return;
      era = verdict;
      await quietly(verdict === undefined ? cache?.delete(eraKey) : cache?.set(eraKey, verdict));
    },
    async lists() {
      return readLists(await quietly(cache?.get(listsKey)), server);
    },
    rememberLists(lists) {
      newest = lists;
      writing ??= writeAll();
    },
    async settled() {
      await writing;
    },
  };
}

function readEra(value: unknown): EraVerdict | undefined {
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
