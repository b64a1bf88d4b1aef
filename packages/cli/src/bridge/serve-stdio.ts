import type { Logger } from '@mcp-fittings/client-core';
import { createStdioSide, type StdioSideOptions } from './stdio-side.js';
import { joinUpstream } from './join-upstream.js';
import type { OpenUpstream } from './upstream.js';

export interface ServeStdioOptions extends StdioSideOptions {
  readonly open: OpenUpstream;
  readonly logger?: Logger | undefined;
  readonly signal: AbortSignal;
}

/**
 * Serves the client on the standard streams until it closes our stdin or `signal` is aborted. Resolves when nothing is left.
 */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { open, logger, signal } = options;
  const client = createStdioSide(options);
  const joined = joinUpstream({ open, logger, client: { send: (message) => client.send(message) } });
  client.onmessage = (message) => joined.receive(message);
  client.onerror = (error) => logger?.warn(error.message);
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const stop = (): void => void client.close();
  signal.addEventListener('abort', stop, { once: true });
  await client.start();
  if (signal.aborted) stop();
  await ended;
  signal.removeEventListener('abort', stop);
  await joined.leave();
}
