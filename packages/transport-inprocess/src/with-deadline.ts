import type { Clock } from '@mcp-fittings/client-core';

/** Settles like `work`, or rejects with what `late` makes when `work` takes longer than `ms` milliseconds. */
export async function withDeadline<T>(
  work: Promise<T>,
  clock: Clock,
  ms: number,
  late: () => Error,
): Promise<T> {
  let timer: Disposable | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = clock.schedule(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, passed]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
