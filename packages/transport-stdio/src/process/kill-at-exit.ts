/**
 * Runs `kill`, which must be synchronous, when this process exits, so that no server outlives its host. Dispose of the result once,
 * when the server has exited.
 */
export function killAtExit(kill: () => void): Disposable {
  makeRoom(1);
  process.on('exit', kill);
  return {
    [Symbol.dispose]() {
      process.off('exit', kill);
      makeRoom(-1);
    },
  };
}

/** Makes room for our listener, so that Node.js does not warn of a leak when there are many servers. 0 means no limit. */
function makeRoom(change: 1 | -1): void {
  const limit = process.getMaxListeners();
  if (limit !== 0) process.setMaxListeners(limit + change);
}
