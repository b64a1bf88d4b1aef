import { FittingsError, type Clock } from '@mcp-fittings/client-core';

/** Rejects with `TIMEOUT` when `work` takes too long; Google's library retries, and can't be told to stop. */
export async function withinTime<T>(work: Promise<T>, ms: number, server: string, clock: Clock): Promise<T> {
  let timer: Disposable | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = clock.schedule(() => {
      reject(new FittingsError('TIMEOUT', `Google gave no token within ${String(ms)} ms.`, { server }));
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
