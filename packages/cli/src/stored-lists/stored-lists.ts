import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import type { GlobalOptions } from '../options.js';
import { packageVersion } from '../version.js';
import type { Inputs } from './inputs.js';

/** What servers offer, as a host lists it. */
export interface OfferedLists {
  readonly tools: ReturnType<Host['tools']>;
  readonly prompts: ReturnType<Host['prompts']>;
  readonly resources: ReturnType<Host['resources']>;
  readonly resourceTemplates: ReturnType<Host['resourceTemplates']>;
}

/** What one server offered when it was last asked. */
export interface StoredServer {
  /** Of the server's name, its entry with variables expanded, and the files of this machine that its command names. */
  readonly digest: string;
  /** Milliseconds since the Unix epoch. */
  readonly readAt: number;
  /** Without configured secrets. */
  readonly lists: OfferedLists;
}

/** What is kept between runs for one folder and the same global options. */
export interface StoredLists {
  /** Undefined if the configuration has to be read to know whether it is still the same. */
  readonly inputs?: Inputs | undefined;
  /** Names of the servers that are listed if none is named, in their order. */
  readonly listed: readonly string[];
  readonly servers: Readonly<Record<string, StoredServer>>;
}

/** How long lists are shown without asking the server again, in milliseconds. */
export const FRESH_MS = 10 * 60 * 1000;

/** What decides which configuration is read, apart from files and variables. */
export interface View extends Pick<GlobalOptions, 'layout' | 'mcpConfig' | 'strictMcpConfig' | 'store'> {
  readonly cwd: string;
}

/** Lists of servers in private files of the user's home directory. */
export interface ListStore {
  read(): Promise<StoredLists | undefined>;
  write(lists: StoredLists): Promise<void>;
}

export function openListStore(
  { layout, mcpConfig, strictMcpConfig, store, cwd }: View,
  env: Readonly<Record<string, string | undefined>>,
): ListStore {
  const cache = fileCache({ folder: listsFolder() });
  // Another version may list and redact differently. Another store may hold another account.
  const account = store ?? env['FITTINGS_STORE'] ?? null;
  const key = JSON.stringify([packageVersion(), layout, mcpConfig, strictMcpConfig, account, cwd]);
  return {
    async read() {
      const value = await cache.get(key);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `write` of the same version, into a private file
      return isRecord(value) ? (value as unknown as StoredLists) : undefined;
    },
    async write(lists) {
      await cache.set(key, lists);
    },
  };
}

/** Only for lists of servers, so that they can be removed together. */
function listsFolder(): string {
  const home = homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'mcp-fittings', 'lists');
  if (process.platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings', 'lists');
  return join(home, '.cache', 'mcp-fittings', 'lists');
}

/** Removes all stored lists: a server may list other tools to another account. */
export async function forgetLists(): Promise<void> {
  await rm(listsFolder(), { recursive: true, force: true });
}

/** Returns whether a stored list may be shown at this time. A clock that was set back makes no list younger. */
export function isFresh({ readAt }: StoredServer, now: number): boolean {
  return readAt <= now && now - readAt < FRESH_MS;
}

/** Formats `Listed as of 3 min ago.` */
export function ageNote(servers: readonly StoredServer[], now: number): string {
  const seconds = Math.max(0, ...servers.map(({ readAt }) => now - readAt)) / 1000;
  const age = seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min`;
  return `Listed from memory, up to ${age} old. Ask the servers again: --refresh`;
}

/** Joins the lists of several servers. */
export function joinLists(all: readonly OfferedLists[]): OfferedLists {
  return {
    tools: all.flatMap(({ tools }) => tools),
    prompts: all.flatMap(({ prompts }) => prompts),
    resources: all.flatMap(({ resources }) => resources),
    resourceTemplates: all.flatMap(({ resourceTemplates }) => resourceTemplates),
  };
}
