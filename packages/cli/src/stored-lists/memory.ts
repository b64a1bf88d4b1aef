import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type ServerConfig, isRecord } from '@mcp-fittings/client-core';
import { configPaths, homeDirectory } from '@mcp-fittings/config';
import type { Host } from '@mcp-fittings/host';
import type { CommandDeps } from '../command-deps.js';
import { LAYOUTS, loadOptions } from '../session/load-servers.js';
import { type CommandSession, sessionOptions } from '../session/open-session.js';
import { type Inputs, markOf, readInputs } from './inputs.js';
import { type OfferedLists, type StoredServer, isFresh, openListStore } from './stored-lists.js';

/** What earlier runs of `list` learned about the servers of a session. */
export interface Memory {
  /** Returns the named servers, or those that are listed if none is named. */
  wanted(names: readonly string[]): readonly string[];
  /** Returns those of the wanted servers that need not be asked, in their order. */
  fresh(names: readonly string[]): ReadonlyMap<string, StoredServer>;
  /**
   * Takes down what decides which servers there are and what may be called, these files too. Undefined if that is not known, or
   * was changed so recently that it may change again unnoticed.
   */
  inputs(files: Iterable<string>): Promise<Inputs | undefined>;
  /** Stores the lists of all servers that are connected, for the next run. */
  remember(listsOf: (host: Host, name: string) => OfferedLists): Promise<void>;
}

/**
 * Reads what is stored for the servers of this session. A server whose entry, variables or own files changed since is not known:
 * its digest is another one. Servers that the configuration does not permit are never looked up.
 */
export async function openMemory(
  deps: CommandDeps,
  session: CommandSession,
  { variables, loadedAt }: { readonly variables: Iterable<string>; readonly loadedAt: number },
): Promise<Memory> {
  const { options, env, cwd, clock, output } = deps;
  const { loaded, host } = session;
  const listed = Object.entries(loaded.servers)
    .filter(([, { disabled }]) => disabled !== true)
    .map(([name]) => name);
  const wanted = (names: readonly string[]): readonly string[] =>
    names.length === 0 ? listed : [...new Set(names)];
  // Plugins are programs of their own, and the home directory of a refused HOME is not where `list` looks first.
  const isUsable = options.plugin.length === 0 && (await isOwnHome(deps));
  const store = openListStore({ ...options, cwd }, env);
  const before = isUsable ? await store.read() : undefined;
  const filesOf = (name: string): readonly string[] => localFiles(loaded.servers[name] ?? {});
  const digests = new Map(listed.map((name) => [name, digestOf(name, loaded.servers[name], filesOf(name))]));
  const isKnown = (name: string, server: StoredServer | undefined): server is StoredServer =>
    server !== undefined && server.digest === digests.get(name) && isFresh(server, clock.now());
  const inputs = async (more: Iterable<string>): Promise<Inputs | undefined> => {
    const paths = {
      files: [...(await pathsOf(deps, session)), ...listed.flatMap(filesOf), ...more],
      roots: rootsAbove(await realpath(cwd), LAYOUTS[options.layout].sources),
    };
    // What a command says about a problem depends on more than that.
    const isSound = isUsable && loaded.problems.length === 0;
    return isSound ? readInputs(paths, variables, env, loadedAt) : undefined;
  };
  return {
    wanted,
    inputs,
    fresh(names) {
      const found = new Map<string, StoredServer>();
      for (const name of wanted(names)) {
        const server = before?.servers[name];
        if (isKnown(name, server)) found.set(name, server);
      }
      return found;
    },
    async remember(listsOf) {
      if (!isUsable) return;
      const servers: Record<string, StoredServer> = {};
      for (const name of listed) {
        const server = before?.servers[name];
        if (isKnown(name, server)) servers[name] = server;
      }
      for (const { name, state, lists } of host.servers()) {
        const digest = digests.get(name);
        const isWhole = Object.values(lists).every(({ error }) => error === undefined);
        if (state.status !== 'connected' || !isWhole || digest === undefined) continue;
        servers[name] = {
          digest,
          readAt: clock.now(),
          lists: redacted(listsOf(host, name), (text) => output.redact(text)),
        };
      }
      // The lists were printed. That they cannot be stored costs the next run its speed.
      await store.write({ inputs: await inputs([]), listed, servers }).catch(() => undefined);
    },
  };
}

async function isOwnHome({ cwd, options }: CommandDeps): Promise<boolean> {
  const home = await homeDirectory({ layout: LAYOUTS[options.layout], cwd });
  return home === (await realpath(homedir()).catch(() => undefined));
}

async function pathsOf(
  deps: CommandDeps,
  { loaded, approvals, transports }: Pick<CommandSession, 'loaded' | 'approvals' | 'transports'>,
): Promise<readonly string[]> {
  return configPaths(loadOptions(sessionOptions(deps), approvals, transports), loaded);
}

/** Files in the folder and above it that would make their folder the root of the project. */
function rootsAbove(
  cwd: string,
  sources: readonly { readonly base: string; readonly path: string }[],
): readonly string[] {
  const names = ['.git', ...sources.filter(({ base }) => base === 'project').map(({ path }) => path)];
  const folders = [cwd];
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) folders.push(dirname(folder));
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

/** Ends of the names of files that a program is made of. Data files among the arguments change all the time. */
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|php|pl|sh|lua|jar|dll|exe|wasm)$/i;

/** The program of a local server, and scripts among its arguments: a server that is being developed changes with them. */
function localFiles({ command, args, cwd }: ServerConfig): readonly string[] {
  if (typeof command !== 'string') return [];
  const folder = typeof cwd === 'string' ? cwd : homedir();
  const scripts = (Array.isArray(args) ? args : []).filter(
    (text): text is string => typeof text === 'string' && CODE.test(text),
  );
  return [command, ...scripts].filter((text) => /[\\/.]/.test(text)).map((text) => resolve(folder, text));
}

function digestOf(name: string, config: unknown, files: readonly string[]): string {
  const marks = files.map((path) => [path, markOf(path)]);
  const text = JSON.stringify([name, config, marks]);
  return createHash('sha256').update(text).digest('base64url');
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
