import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { statSync } from 'node:fs';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { type LoadedConfig, homeDirectory } from '@mcp-fittings/config';
import type { Host } from '@mcp-fittings/host';
import { layoutOf } from '@mcp-fittings/preset/toolkit';
import type { CommandDeps } from '../command-deps.js';
import {
  type OfferedLists,
  type StoredLists,
  type StoredServer,
  ListStore,
  digestOf,
  isFresh,
} from './stored-lists.js';

/**
 * Remembers what earlier runs of `list` learned about the servers of a configuration. A server whose entry, variables or own files
 * changed since is not known: its digest is another one. Neither is one that the configuration does not permit.
 */
export class ListMemory {
  readonly #deps: CommandDeps;
  /** Undefined if lists are neither read nor kept. */
  readonly #store: ListStore | undefined;
  readonly #before: StoredLists;
  /** By the name of each server that may be listed, in the order of the configuration. */
  readonly #digests: ReadonlyMap<string, string>;

  private constructor(
    deps: CommandDeps,
    { servers }: LoadedConfig,
    store: ListStore | undefined,
    before: StoredLists,
  ) {
    this.#deps = deps;
    this.#store = store;
    this.#before = before;
    this.#digests = new Map(
      Object.entries(servers)
        .filter(([, { disabled }]) => disabled !== true)
        .map(([name, config]) => [name, serverDigest(name, config)]),
    );
  }

  /** Reads what is stored. */
  static async open(deps: CommandDeps, loaded: LoadedConfig): Promise<ListMemory> {
    const { options } = deps;
    // Plugins are programs of their own, and the home directory of a refused HOME is not where lists are kept.
    const isUsable = options.plugin.length === 0 && (await isOwnHome(deps));
    const store = isUsable ? new ListStore(options, deps) : undefined;
    return new ListMemory(deps, loaded, store, (await store?.read()) ?? {});
  }

  /** Returns the named servers, or those that are listed if none is named. */
  wanted(names: readonly string[]): readonly string[] {
    return names.length === 0 ? [...this.#digests.keys()] : [...new Set(names)];
  }

  /** Returns those of the wanted servers that need not be asked, in their order. */
  fresh(names: readonly string[]): ReadonlyMap<string, StoredServer> {
    const found = new Map<string, StoredServer>();
    for (const name of this.wanted(names)) {
      const server = Object.hasOwn(this.#before, name) ? this.#before[name] : undefined;
      const isKnown = server !== undefined && server.digest === this.#digests.get(name);
      if (isKnown && isFresh(server, this.#deps.clock.now())) found.set(name, server);
    }
    return found;
  }

  /** Stores the lists of all servers that are connected, for the next run. */
  async remember(host: Host, listsOf: (name: string) => OfferedLists): Promise<void> {
    const { clock, output } = this.#deps;
    const servers = Object.fromEntries(this.fresh([]));
    for (const { name, state, lists } of host.servers()) {
      const digest = this.#digests.get(name);
      const isWhole = Object.values(lists).every(({ error }) => error === undefined);
      if (state.status !== 'connected' || !isWhole || digest === undefined) continue;
      servers[name] = {
        digest,
        readAt: clock.now(),
        lists: redacted(listsOf(name), (text) => output.redact(text)),
      };
    }
    // The lists were printed. That they cannot be stored costs the next run its speed.
    await this.#store?.write(servers).catch(() => undefined);
  }
}

async function isOwnHome({ cwd, options }: CommandDeps): Promise<boolean> {
  const home = await homeDirectory({ layout: layoutOf(options.layout), cwd });
  return home === (await realpath(homedir()).catch(() => undefined));
}

/** Ends of the names of files that a program is made of. Data files among the arguments change all the time. */
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|php|pl|sh|lua|jar|dll|exe|wasm)$/i;

/** Returns the program of a local server, and scripts among its arguments: a server that is being developed changes with them. */
function localFiles({ command, args, cwd }: ServerConfig): readonly string[] {
  if (typeof command !== 'string') return [];
  const folder = typeof cwd === 'string' ? cwd : homedir();
  const scripts = (Array.isArray(args) ? args : []).filter(
    (text): text is string => typeof text === 'string' && CODE.test(text),
  );
  return [command, ...scripts].filter((text) => /[\\/.]/.test(text)).map((text) => resolve(folder, text));
}

/** Returns what differs if the entry, its variables or the files of its program do. */
function serverDigest(name: string, config: ServerConfig): string {
  const marks = localFiles(config).map((path) => [path, fileMark(path)]);
  return digestOf(JSON.stringify([name, config, marks]));
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

/** Returns a copy without secrets, because what is printed from memory passes no redactor that knows them. */
function redacted<T>(value: T, redact: (text: string) => string): T {
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return redact(part);
    if (Array.isArray(part)) return part.map(walk);
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, walk(member)]));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same shape, with other texts
  return walk(value) as T;
}
