import { settlesWithin, sleep, type Clock } from '@mcp-fittings/client-core/transport';
import type { ProcessTree } from './process-tree.js';

/** Milliseconds that each step of a shutdown waits before the next one. */
export interface ShutdownTimes {
  /** After the server's stdin was ended, before SIGTERM. Default 2000. */
  readonly afterStdinEndMs?: number | undefined;
  /** After SIGTERM, before SIGKILL. Default 2000. */
  readonly afterSigtermMs?: number | undefined;
  /** After SIGKILL, before the process is given up: it hangs in the kernel. Default 1000. */
  readonly afterSigkillMs?: number | undefined;
}

/** What the server started gets this long to follow it by itself. */
const FOLLOW_MS = 100;
const POLL_MS = 25;

/**
 * Ends a server as the MCP specification says: end its stdin, wait, SIGTERM, wait, SIGKILL. Signals go to the whole
 * tree, and it is done only when all of the tree is gone. False: something could not be ended.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#shutdown
 */
export async function endTree(job: {
  readonly tree: ProcessTree;
  /** Settles when the server process itself has ended. */
  readonly exited: Promise<unknown>;
  readonly clock: Clock;
  readonly times: ShutdownTimes;
  /** Ends the server's stdin and gives it time; without it the first step is SIGTERM. */
  readonly endStdin?: (() => void) | undefined;
}): Promise<boolean> {
  const { tree, exited, clock, times } = job;

  const gone = async (ms: number): Promise<boolean> => {
    const deadline = clock.now() + ms;
    for (;;) {
      const left = deadline - clock.now();
      if ((await settlesWithin(left, exited, clock)) && !(await tree.hasSurvivors())) return true;
      if (clock.now() >= deadline) return false;
      await sleep(Math.min(POLL_MS, left), { clock });
    }
  };

  if (job.endStdin !== undefined) {
    job.endStdin();
    await settlesWithin(times.afterStdinEndMs ?? 2000, exited, clock);
  }
  if ((await settlesWithin(0, exited, clock)) && (await gone(FOLLOW_MS))) return true;
  tree.signal('SIGTERM');
  if (await gone(times.afterSigtermMs ?? 2000)) return true;
  tree.signal('SIGKILL');
  return gone(times.afterSigkillMs ?? 1000);
}
