import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '@mcp-fittings/client-core';
import {
  checkPrivateDirectory,
  ensurePrivateDirectory,
  readPrivateFileSync,
  writePrivateFile,
} from '@mcp-fittings/client-core/files';
import type { Host } from '@mcp-fittings/host';
import type { GlobalOptions } from '../options.js';
import { packageVersion } from '../version.js';
import type { Inputs } from './inputs.js';

/** A tool, marked if the user has not accepted it since it changed or was added. */
export type ListedTool = ReturnType<Host['tools']>[number] & {
  readonly pin?: 'changed' | 'added' | 'renamed';
};

/** What servers offer, as a host lists it. */
export interface OfferedLists {
  readonly tools: readonly ListedTool[];
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

/** What is kept for one view, in private files of the user's home directory. */
export interface ViewStore<T> {
  read(): Promise<T | undefined>;
  write(value: T): Promise<void>;
}

export function openListStore(
  view: View,
  env: Readonly<Record<string, string | undefined>>,
): ViewStore<StoredLists> {
  return openViewStore('lists', view, env);
}

/** Opens the store of one kind of value. Only this program, in this version, writes its files. */
export function openViewStore<T>(
  kind: string,
  { layout, mcpConfig, strictMcpConfig, store, cwd }: View,
  env: Readonly<Record<string, string | undefined>>,
  folder: string = listsFolder(),
): ViewStore<T> {
  // Another version may list and redact differently. Another store may hold another account.
  const account = store ?? env['FITTINGS_STORE'] ?? null;
  // The JSON of `--mcp-config` may contain secrets.
  const configs = mcpConfig.map(shortHash);
  const key = JSON.stringify([kind, packageVersion(), layout, configs, strictMcpConfig, account, cwd]);
  const name = `${shortHash(key)}.json`;
  return {
    async read() {
      try {
        if (!(await checkPrivateDirectory(folder))) return undefined;
        const value: unknown = JSON.parse(readPrivateFileSync(join(folder, name), MAX_BYTES) ?? 'null');
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `write` of the same version, into a private file
        return isRecord(value) && value['key'] === key ? (value['value'] as T) : undefined;
      } catch {
        // What cannot be read, or could have been written by another user, is not known.
        return undefined;
      }
    },
    async write(value) {
      const text = JSON.stringify({ key, value });
      if (Buffer.byteLength(text) > MAX_BYTES) return;
      await ensurePrivateDirectory(folder);
      await writePrivateFile(folder, name, text);
    },
  };
}

/** Larger lists are not kept, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Returns 64 bits that name a text. They need not withstand an attacker, who can neither write the files nor choose what the user types,
 * and `node:crypto` would cost a list from memory a tenth of its time.
 * @see https://datatracker.ietf.org/doc/html/draft-eastlake-fnv FNV-1a, twice with 32 bits
 */
export function shortHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (const byte of Buffer.from(text)) {
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte ^ (low >>> 24), 0x01000193);
  }
  return (low >>> 0).toString(16).padStart(8, '0') + (high >>> 0).toString(16).padStart(8, '0');
}

/** Only for lists of servers, so that they can be removed together. */
function listsFolder(): string {
  return join(cacheFolder(homedir()), 'lists');
}

/** Returns where this program keeps in a home directory what it can do without. */
export function cacheFolder(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'mcp-fittings');
  if (process.platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings');
  return join(home, '.cache', 'mcp-fittings');
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
