import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import type { ListenOptions, Server } from 'node:net';
import { FittingsError } from '@mcp-fittings/client-core';
import { systemErrorCode } from '@mcp-fittings/client-core/files';

/** Resolves when the server listens. Rejects with `CONFIG_INVALID` if the address is in use, and `CONNECT_FAILED` otherwise. */
export async function startListening(
  server: Server,
  options: ListenOptions,
  message: () => string,
): Promise<void> {
  server.listen(options);
  try {
    await once(server, 'listening');
    // The directory that it is in keeps others out until now.
    if (options.path !== undefined && process.platform !== 'win32') chmodSync(options.path, 0o600);
  } catch (cause) {
    server.close();
    const isInUse = systemErrorCode(cause) === 'EADDRINUSE';
    throw new FittingsError(isInUse ? 'CONFIG_INVALID' : 'CONNECT_FAILED', message(), {
      cause,
      hint: isInUse
        ? 'Another process uses the address. Choose another; port 0 picks a free one.'
        : 'Choose another address.',
    });
  }
}
