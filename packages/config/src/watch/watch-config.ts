import { dirname } from 'node:path';
import type { Clock, ServerConfig } from '@mcp-fittings/client-core';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { defaultApprovalPath } from '../approval/approval-store.js';
import { jsonCopy } from '../jsonc/json-value.js';
import { absolutePath } from '../layout/layout.js';
import { locateFiles } from '../layout/locate-files.js';
import { loadConfigAgain, type LastRead, type LoadConfigOptions } from '../load/load-config.js';
import type { LoadedConfig } from '../load/loaded-config.js';
import { PathWatcher } from './watch-paths.js';

/** Options of {@link watchConfig}. */
export interface WatchConfigOptions extends LoadConfigOptions {
  /** Milliseconds for which the files must be unchanged before they are loaded again. Default: 200. */
  readonly debounceMs?: number | undefined;
  /**
   * A host whose servers follow the configuration: they are connected at once, and added, replaced and removed when files change.
   * `createHost` of `@mcp-fittings/host` returns one. Default: none; `onChange` says what changed.
   */
  readonly host?: FollowingHost | undefined;
  /**
   * Called after a reload in which servers or problems changed, before the changes reach {@link host}. Default: none.
   */
  readonly onChange?: (
    changes: {
      /** Servers that are new, by name. */
      readonly added: Readonly<Record<string, ServerConfig>>;
      /** Servers whose configuration changed, by name, with the new configuration. */
      readonly changed: Readonly<Record<string, ServerConfig>>;
      /** Names of the servers that are gone. */
      readonly removed: readonly string[];
    },
    config: LoadedConfig,
  ) => void;
  /**
   * Called if a folder cannot be watched, a reload rejects, or `onChange` or the host throws. The last configuration stays in use.
   * Default: errors are ignored.
   */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Clock for {@link debounceMs}. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The part of a host that {@link watchConfig} uses. */
export interface FollowingHost {
  /** Adds servers, or replaces those whose entry has changed. Resolves when each is connected or has failed. */
  connect(servers: Readonly<Record<string, ServerConfig>>): Promise<unknown>;
  /** Disconnects a server and forgets it. */
  remove(server: string): Promise<void>;
}

/** A configuration that is kept up to date, the result of {@link watchConfig}. */
export interface ConfigWatcher extends AsyncDisposable {
  /** The result of the last load. */
  readonly config: LoadedConfig;
  /** Stops watching. Resolves when a reload that is running has ended; `onChange` is not called any more. */
  close(): Promise<void>;
}

/**
 * Loads the configuration, and loads it again whenever one of its files or the approvals change. The servers of a file that cannot be
 * read any more, because it is half-written for example, stay as they were until it can be read again. Rejects as {@link loadConfig}
 * does if the first load fails. With a `host`, resolves when each server is connected or has failed for the first time.
 *
 * @example
 * ```ts
 * const watcher = await watchConfig({
 *   layout: layouts.claude,
 *   plugins: transports,
 *   host,
 *   onChange: (_changes, { problems }) => problems.forEach((problem) => console.error(formatProblem(problem))),
 * });
 * // When the program ends:
 * await watcher.close();
 * await host.close();
 * ```
 */
export async function watchConfig(options: WatchConfigOptions): Promise<ConfigWatcher> {
  const { debounceMs = 200, host, onChange, onError: tell, clock = systemClock, ...loading } = options;
  const onError = (error: unknown): void => tell?.(error instanceof Error ? error : new Error(String(error)));
  const last: LastRead = new Map();
  let config = await loadConfigAgain(loading, last);
  let timer: Disposable | undefined;
  let reading: Promise<void> = Promise.resolve();
  let closed = false;

  const schedule = (): void => {
    timer?.[Symbol.dispose]();
    if (!closed) timer = clock.schedule(() => void (reading = reading.then(read)), debounceMs);
  };
  const watcher = new PathWatcher(schedule, onError);

  const read = async (): Promise<void> => {
    if (closed) return;
    try {
      const next = await loadConfigAgain(loading, last);
      const paths = await configPaths(options, next);
      if (closed) return;
      const changes = compareServers(config.servers, next.servers);
      const news =
        Object.keys(changes.added).length + Object.keys(changes.changed).length + changes.removed.length >
          0 || JSON.stringify(config.problems) !== JSON.stringify(next.problems);
      config = next;
      if (await watcher.update(paths)) schedule();
      if (!news) return;
      try {
        onChange?.(changes, config);
      } catch (error) {
        onError(error);
      }
      if (host !== undefined && connecting !== undefined) await follow(host, changes);
    } catch (error) {
      onError(error);
    }
  };
  let connecting: Promise<unknown> | undefined;
  /** Does not wait for servers to connect: one that hangs would keep the next change waiting. */
  const follow = async (following: FollowingHost, changes: ServerChanges): Promise<void> => {
    for (const name of changes.removed) await following.remove(name).catch(onError);
    following.connect({ ...changes.added, ...changes.changed }).catch(onError);
  };

  const close = async (): Promise<void> => {
    closed = true;
    timer?.[Symbol.dispose]();
    watcher.close();
    await reading;
  };
  try {
    // Detects changes between the first load and the start of watching.
    await watcher.update(await configPaths(options, config));
    await read();
    connecting = host?.connect(config.servers);
    await connecting;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get config() {
      return config;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Resolves to the path of every file on which the result of {@link loadConfig} with these options depends, whether it exists or
 * not: sources, policies, lists of approvals, and the file with the user's approvals.
 */
async function configPaths(options: LoadConfigOptions, config: LoadedConfig): Promise<readonly string[]> {
  const { layout, platform = process.platform } = options;
  const { directories } = await locateFiles(options);
  const others = [
    ...(layout.policies ?? []).map(({ path }) =>
      absolutePath({ base: 'system', path }, directories, platform),
    ),
    ...(layout.approvalLists ?? []).map(({ path }) =>
      absolutePath({ base: 'home', path }, directories, platform),
    ),
    options.approvals === undefined
      ? defaultApprovalPath(directories.home, platform)
      : options.approvals.file,
  ];
  const found = config.files.flatMap(({ path, realPath = path }) => [path, realPath]);
  return [...new Set([...found, ...others.filter((path) => path !== undefined)])].filter(
    (path) => path !== dirname(path),
  );
}

type Servers = Readonly<Record<string, ServerConfig>>;
type ServerChanges = Parameters<NonNullable<WatchConfigOptions['onChange']>>[0];

function compareServers(before: Servers, after: Servers): ServerChanges {
  const names = Object.keys(after);
  const pick = (chosen: readonly string[]): Servers =>
    Object.fromEntries(Object.entries(after).filter(([name]) => chosen.includes(name)));
  const known = names.filter((name) => Object.hasOwn(before, name));
  return {
    added: pick(names.filter((name) => !Object.hasOwn(before, name))),
    changed: pick(known.filter((name) => content(before[name]) !== content(after[name]))),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
  };
}

function content(config: ServerConfig | undefined): string {
  return canonicalJson(jsonCopy(config ?? {}));
}
