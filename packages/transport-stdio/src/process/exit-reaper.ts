/** Ends what is registered when this process exits: no server outlives its host. */
export interface ExitReaper {
  /** `kill` runs while the process exits, so it has to be synchronous. Dispose when there is nothing left to end. */
  add(kill: () => void): Disposable;
}

/** Listens to the process only while something is registered, with one listener for all. */
export function createExitReaper(): ExitReaper {
  const kills = new Set<() => void>();
  const killAll = (): void => {
    for (const kill of kills) kill();
  };
  /** Room for our listener, so that many reapers at once are not taken for a leak. 0 means no limit. */
  const makeRoom = (change: 1 | -1): void => {
    const limit = process.getMaxListeners();
    if (limit !== 0) process.setMaxListeners(limit + change);
  };
  return {
    add(kill) {
      // Wrapped, so that the same function can be registered twice.
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
