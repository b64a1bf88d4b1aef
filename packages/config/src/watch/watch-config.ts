import { dirname } from 'node:path';
import type { Clock } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/client-core/timing';
import { absolutePath } from '../layout/places.js';
import { loadConfig, type LoadedConfig, type LoadOptions } from '../load-config.js';
import { locate } from '../load/locate.js';
import { compareServers, type ServerChanges } from './compare-servers.js';
import { createPathWatcher } from './watch-paths.js';

export interface WatchOptions extends LoadOptions {
  /** How long the files must be quiet before they are read again, milliseconds. Default 200. */
  readonly debounceMs?: number | undefined;
  /** Told when servers or problems are not what they were. */
  readonly onChange: (changes: ServerChanges, config: LoadedConfig) => void;
  /** Told when a folder can't be watched or the files can't be read again; the last configuration stays. */
  readonly onError?: ((error: Error) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** A configuration that is kept up to date. Close it to stop. */
export interface ConfigWatcher extends AsyncDisposable {
  /** The last one that was read. */
  readonly config: LoadedConfig;
  close(): Promise<void>;
}

/**
 * Loads the configuration and again whenever one of its files, the decisions about project servers included, changes.
 * Rejects as `loadConfig` does when the first reading fails.
 */
export async function watchConfig(options: WatchOptions): Promise<ConfigWatcher> {
  const { debounceMs = 200, onChange, onError = () => undefined, clock = systemClock } = options;
  let config = await loadConfig(options);
  let timer: Disposable | undefined;
  let reading: Promise<void> = Promise.resolve();
  let closed = false;

  const schedule = (): void => {
    timer?.[Symbol.dispose]();
    if (!closed) timer = clock.schedule(() => void (reading = reading.then(read)), debounceMs);
  };
  const watcher = createPathWatcher(schedule, onError);

  const read = async (): Promise<void> => {
    if (closed) return;
    try {
      const next = await loadConfig(options);
      if (closed) return;
      const changes = compareServers(config.servers, next.servers);
      const news =
        Object.keys(changes.added).length + Object.keys(changes.changed).length + changes.removed.length >
          0 || JSON.stringify(config.problems) !== JSON.stringify(next.problems);
      config = next;
      if (await watcher.update(await pathsOf(options, config))) schedule();
      if (news) onChange(changes, config);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  };

  // What was written between the first reading and now would otherwise be missed.
  await watcher.update(await pathsOf(options, config));
  await read();

  const close = async (): Promise<void> => {
    closed = true;
    timer?.[Symbol.dispose]();
    watcher.close();
    await reading;
  };
  return {
    get config() {
      return config;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Everything whose change can change the result. */
async function pathsOf(options: LoadOptions, config: LoadedConfig): Promise<readonly string[]> {
  const { layout, platform = process.platform } = options;
  const { directories } = await locate(options);
  const others = [
    ...(layout.policies ?? []).map(({ path }) =>
      absolutePath({ base: 'system', path }, directories, platform),
    ),
    ...(layout.approvalLists ?? []).map(({ path }) =>
      absolutePath({ base: 'home', path }, directories, platform),
    ),
    options.approvals?.file,
  ];
  const found = config.files.flatMap(({ path, realPath = path }) => [path, realPath]);
  return [...new Set([...found, ...others.filter((path) => path !== undefined)])].filter(
    (path) => path !== dirname(path),
  );
}
