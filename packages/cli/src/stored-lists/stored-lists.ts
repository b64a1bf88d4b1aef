import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  checkPrivateDirectory,
  ensurePrivateDirectory,
  readPrivateFileSync,
  writePrivateFile,
} from '@mcp-fittings/toolbox/files';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { Host } from '@mcp-fittings/host';
import type { GlobalOptions } from '../options.js';
import { packageVersion } from '../version.js';
import { cacheFolder } from '../startup/cache-folder.js';

/** A tool, marked if the user has not accepted it since it changed or was added. */
export type ListedTool = ReturnType<Host['tools']>[number] & {
  readonly pin?: 'changed' | 'added' | 'renamed';
};

/** Lists of what servers offer, as those of a host. */
export interface OfferedLists {
  readonly tools: readonly ListedTool[];
  readonly prompts: ReturnType<Host['prompts']>;
  readonly resources: ReturnType<Host['resources']>;
  readonly resourceTemplates: ReturnType<Host['resourceTemplates']>;
}

/** Holds what one server offered when it was last asked. */
export interface StoredServer {
  /** Of the server's name, its entry with variables expanded, and the files of this machine that its command names. */
  readonly digest: string;
  /** Milliseconds since the Unix epoch. */
  readonly readAt: number;
  /** Without configured secrets. */
  readonly lists: OfferedLists;
}

/** Holds what is kept between runs for one folder and the same global options, by the name of the server. */
export type StoredLists = Readonly<Record<string, StoredServer>>;

/** Limits how long lists are shown without asking the server again, in milliseconds. */
const FRESH_MS = 10 * 60 * 1000;

/** Options that do not change what is listed, and those whose values are kept in another form. */
const NOT_IN_KEY: ReadonlySet<string> = new Set([
  'json',
  'verbose',
  'color',
  'shared',
  'plugin',
  'mcpConfig',
  'store',
] satisfies (keyof GlobalOptions)[]);

/** Keeps the lists for one folder and the same global options in a private file of the user's home directory. Only this program, in this version, writes it. */
export class ListStore {
  readonly #key: string;
  readonly #name: string;

  constructor(
    options: GlobalOptions,
    { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  ) {
    // Another version may list and redact differently. Another store may hold another account.
    const account = options.store ?? env['FITTINGS_STORE'] ?? null;
    // The JSON of `--mcp-config` may contain secrets.
    const configs = options.mcpConfig.map(digestOf);
    const others = Object.entries(options)
      .filter(([name]) => !NOT_IN_KEY.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.#key = JSON.stringify([packageVersion(), others, configs, account, cwd]);
    this.#name = `${digestOf(this.#key)}.json`;
  }

  /** Resolves with nothing if the file cannot be read, or could have been written by another user. */
  async read(): Promise<StoredLists> {
    try {
      if (!(await checkPrivateDirectory(listsFolder()))) return {};
      const text = readPrivateFileSync(join(listsFolder(), this.#name), MAX_BYTES) ?? 'null';
      const value: unknown = JSON.parse(text);
      if (!isRecord(value) || value['key'] !== this.#key || !isRecord(value['servers'])) return {};
      const known = Object.entries(value['servers']).filter(([, server]) => isStored(server));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `write` of the same version, into a private file; what a listing relies on was checked
      return Object.fromEntries(known) as StoredLists;
    } catch {
      return {};
    }
  }

  async write(servers: StoredLists): Promise<void> {
    const text = JSON.stringify({ key: this.#key, servers });
    if (Buffer.byteLength(text) > MAX_BYTES) return;
    await ensurePrivateDirectory(listsFolder());
    await writePrivateFile(listsFolder(), this.#name, text);
  }
}

/** Names the member that identifies an item of each list. */
const KEYS = { tools: 'name', prompts: 'name', resources: 'uri', resourceTemplates: 'uriTemplate' };

/** Returns whether a stored value has what a listing relies on: the file may be damaged. */
function isStored(server: unknown): boolean {
  if (!isRecord(server) || typeof server['digest'] !== 'string' || typeof server['readAt'] !== 'number')
    return false;
  const { lists } = server;
  return (
    isRecord(lists) &&
    Object.entries(KEYS).every(([kind, key]) => {
      const items: unknown = lists[kind];
      const isItem = (item: unknown): boolean =>
        isRecord(item) && typeof item['server'] === 'string' && typeof item[key] === 'string';
      return Array.isArray(items) && items.every(isItem);
    })
  );
}

/** Larger lists are not kept, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Returns the SHA-256 of a text, for names of files and to compare. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Only for lists of servers, so that they can be removed together. */
function listsFolder(): string {
  return join(cacheFolder(homedir()), 'lists');
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
