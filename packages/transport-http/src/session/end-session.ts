import type { Clock } from '@mcp-fittings/client-core';
import { createLifetime } from '../lifetime.js';
import type { Exchanger } from '../wire/exchanger.js';

export interface FarewellFacts {
  readonly exchange: Exchanger;
  readonly clock: Clock;
  readonly withinMs: number;
  readonly revision: string | undefined;
}

/** Tells the server that the session is over. It may refuse (405) or not answer: then it forgets in its own time. */
export async function endSession({ exchange, clock, withinMs, revision }: FarewellFacts): Promise<void> {
  const lifetime = createLifetime();
  const timer = clock.schedule(() => lifetime.end(), withinMs);
  const told = exchange({
    verb: 'DELETE',
    fields: { ...(revision !== undefined && { 'mcp-protocol-version': revision }) },
    session: 'new',
    lifetime,
    accept: () => ({ data: () => undefined, end: () => undefined }),
    maxBodyBytes: 65_536,
    overflow: 'truncate',
  });
  await told.catch(() => undefined);
  timer[Symbol.dispose]();
  lifetime.end();
}
