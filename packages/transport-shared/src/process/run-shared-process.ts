import { ensurePrivateDirectory } from '@mcp-fittings/client-core/files';
import { sharedFolder } from '../wire/socket-address.js';
import { createLogFile } from './log-file.js';
import { serveShared, type ServeSharedOptions } from './serve-shared.js';

/** Options of {@link runSharedProcess}. */
export interface RunSharedProcessOptions extends Omit<ServeSharedOptions, 'logger' | 'clock'> {
  /** Ends it when it is aborted. SIGTERM, SIGINT and SIGHUP end it too. Default none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes this process the shared process of the user, with a log of at most 512 KiB in its folder, and resolves when it has ended.
 * Resolves with false at once if there is one already. It is what `sharedStdio()` starts on demand.
 */
export async function runSharedProcess(options: RunSharedProcessOptions = {}): Promise<boolean> {
  const { folder = sharedFolder(), signal, ...others } = options;
  await ensurePrivateDirectory(folder);
  const logger = createLogFile(folder);
  const serving = await serveShared({ ...others, folder, logger });
  if (serving === undefined) return false;
  logger.info('The shared process has started.', { pid: process.pid });
  const stop = (): void => void serving.close();
  const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const name of names) process.on(name, stop);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  await serving.ended;
  for (const name of names) process.off(name, stop);
  signal?.removeEventListener('abort', stop);
  return true;
}
