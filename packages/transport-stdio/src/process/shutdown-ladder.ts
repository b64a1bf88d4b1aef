import type { Clock } from '@mcp-fittings/client-core';
import { settlesWithin, sleep } from '@mcp-fittings/toolbox/timing';
import type { StdioTransportOptions } from '../options.js';
import type { ProcessTree } from './process-tree.js';

/** Milliseconds that the children of a server get to exit after it by themselves. */
const FOLLOW_MS = 100;
const POLL_MS = 25;

/**
 * Ends a server as the MCP specification requires: close its stdin, wait, SIGTERM, wait, SIGKILL. Signals go to the whole
 * tree. Resolves when all of the tree has exited, with false if a process could not be ended.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#shutdown
 */
export async function endTree(job: {
  readonly tree: ProcessTree;
  /** Settles when the server process itself has exited. */
  readonly exited: Promise<unknown>;
  readonly clock: Clock;
  readonly times: NonNullable<StdioTransportOptions['shutdown']>;
  /** Closes the server's stdin. Without it the first step is SIGTERM. */
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
