import { serveShared, type ServeSharedOptions } from './serve-shared.js';

const DRAIN_MS = 10_000;

/**
 * Makes this process the shared process of the user, with a log of at most 512 KiB in its folder, and resolves when it has ended.
 * Resolves with false at once if there is one already. It is what `sharedStdio()` starts on demand.
 */
export async function runSharedProcess(
  options: Omit<ServeSharedOptions, 'log' | 'logger' | 'clock'> & {
    /** Ends it when it is aborted. SIGTERM, SIGINT and SIGHUP end it too: requests in flight may take 10 s more. Default none. */
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<boolean> {
  const { signal, ...others } = options;
  const serving = await serveShared({ ...others, log: true });
  if (serving === undefined) return false;
  const stop = (): void => void serving.drain(DRAIN_MS);
  const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const name of names) process.on(name, stop);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  await serving.ended;
  for (const name of names) process.off(name, stop);
  signal?.removeEventListener('abort', stop);
  return true;
}
