/** Kills the registered servers when this process exits, so that no server outlives its host. */
export interface ExitReaper {
  /** Registers `kill`, which runs while the process exits and must be synchronous. Dispose of the result when the server has exited. */
  add(kill: () => void): Disposable;
}

/** Creates a reaper with one `exit` listener, which is there only while something is registered. */
export function createExitReaper(): ExitReaper {
  const kills = new Set<() => void>();
  const killAll = (): void => {
    for (const kill of kills) kill();
  };
  /** Makes room for our listener, so that Node.js does not warn of a leak when there are many reapers. 0 means no limit. */
  const makeRoom = (change: 1 | -1): void => {
    const limit = process.getMaxListeners();
    if (limit !== 0) process.setMaxListeners(limit + change);
  };
  return {
    add(kill) {
      // Wrapped so that the same function can be registered twice.
      const entry = (): void => kill();
      if (kills.size === 0) {
        makeRoom(1);
        process.on('exit', killAll);
      }
      kills.add(entry);
      return {
        [Symbol.dispose]() {
          if (!kills.delete(entry) || kills.size > 0) return;
          process.off('exit', killAll);
          makeRoom(-1);
        },
      };
    },
  };
}
