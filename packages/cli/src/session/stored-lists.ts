import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { HostCache, ServerConfig } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { ownFolder } from '@mcp-fittings/toolbox/files';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { hashText } from '@mcp-fittings/toolbox/text';
import type { CommandDeps } from '../command-deps.js';
import { packageVersion } from '../own-files.js';
import type { CommandServers } from './open-session.js';

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
  /** Milliseconds since the Unix epoch. */
  readonly readAt: number;
  /** Without configured secrets. */
  readonly lists: OfferedLists;
}

/** Limits how long lists are shown without asking the server again, in milliseconds. */
const FRESH_MS = 10 * 60 * 1000;

/**
 * Keeps what earlier runs of `list` learned about servers, in private files of the home directory. A server whose entry, variables or own
 * files changed since is not known. Neither is one that the configuration does not permit.
 */
export class StoredLists {
  readonly #deps: CommandDeps;
  /** Undefined with plugins, which are programs of their own and may have changed. */
  readonly #cache: HostCache | undefined;
  /** By the name of each server that may be listed, in the order of the configuration. */
  readonly #servers: ReadonlyMap<string, ServerConfig>;

  constructor(deps: CommandDeps, { loaded, home }: Pick<CommandServers, 'loaded' | 'home'>) {
    this.#deps = deps;
    this.#cache = deps.options.plugin.length === 0 ? fileCache({ folder: listsFolder(home) }) : undefined;
    this.#servers = new Map(Object.entries(loaded.servers).filter(([, { disabled }]) => disabled !== true));
  }

  /** Returns the named servers, or those that are listed if none is named. */
  wanted(names: readonly string[]): readonly string[] {
    return names.length === 0 ? [...this.#servers.keys()] : [...new Set(names)];
  }

  /** Returns those of the wanted servers that need not be asked, in their order. A clock that was set back makes no list younger. */
  async fresh(names: readonly string[]): Promise<ReadonlyMap<string, StoredServer>> {
    const now = this.#deps.clock.now();
    const found = new Map<string, StoredServer>();
    for (const name of this.wanted(names)) {
      const config = this.#servers.get(name);
      const stored = config && (await this.#cache?.get(this.#keyOf(name)));
      if (!isStored(stored) || config === undefined || stored.digest !== digestOf(name, config)) continue;
      if (stored.readAt <= now && now - stored.readAt < FRESH_MS) found.set(name, stored);
    }
    return found;
  }

  /** Stores the lists of all servers that are connected, for the next run. */
  async remember(host: Host, listsOf: (name: string) => OfferedLists): Promise<void> {
    const { clock, output } = this.#deps;
    for (const { name, state, lists } of host.servers()) {
      const config = this.#servers.get(name);
      const isWhole = Object.values(lists).every(({ error }) => error === undefined);
      if (state.status !== 'connected' || !isWhole || config === undefined) continue;
      // What is printed from here may pass a redactor that does not know the secrets of this run.
      const redacted: unknown = JSON.parse(JSON.stringify(listsOf(name)), (_key, value: unknown) =>
        typeof value === 'string' ? output.redact(value) : value,
      );
      const stored = { digest: digestOf(name, config), readAt: clock.now(), lists: redacted };
      // The lists were printed. That they cannot be stored costs the next run its speed.
      await this.#cache?.set(this.#keyOf(name), stored).catch(() => undefined);
    }
  }

  /** Another store may hold another account. */
  #keyOf(name: string): string {
    const { cwd, env, options } = this.#deps;
    return JSON.stringify([cwd, options.store ?? env['FITTINGS_STORE'] ?? null, name]);
  }
}

/** Names the member that identifies an item of each list. */
const KEYS = { tools: 'name', prompts: 'name', resources: 'uri', resourceTemplates: 'uriTemplate' };

/** Returns whether a stored value has what a listing relies on: the file may be damaged. */
function isStored(server: unknown): server is StoredServer & { readonly digest: string } {
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

/** Only for lists of servers, so that they can be removed together. */
const listsFolder = (home: string): string => join(ownFolder('cache', home), 'lists');

/** Removes all stored lists: a server may list other tools to another account. */
export async function forgetLists({ home }: Pick<CommandServers, 'home'>): Promise<void> {
  await rm(listsFolder(home), { recursive: true, force: true });
}

/** Ends of the names of files that a program is made of. Data files among the arguments change all the time. */
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|php|pl|sh|lua|jar|dll|exe|wasm)$/i;

/**
 * Returns what differs if this program, the entry, its variables, or the files of the server's program do: a server that is being developed
 * changes with its scripts.
 */
function digestOf(name: string, config: ServerConfig): string {
  const { command, args, cwd } = config;
  const folder = typeof cwd === 'string' ? cwd : homedir();
  const scripts = (Array.isArray(args) ? args : []).filter((text) => CODE.test(String(text)));
  const files = typeof command === 'string' ? [command, ...scripts.map(String)] : [];
  const marks = files.filter((text) => /[\\/.]/.test(text)).map((text) => fileMark(resolve(folder, text)));
  return hashText(JSON.stringify([packageVersion(), name, config, marks]));
}

/** Returns a mark that differs whenever the content, the owner or the mode of a file does; null if there is no such file. */
function fileMark(path: string): string | null {
  try {
    const { dev, ino, size, mode, uid, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mode, uid, mtimeNs, ctimeNs].join(' ');
  } catch {
    return null;
  }
}
