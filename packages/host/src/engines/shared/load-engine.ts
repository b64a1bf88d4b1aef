import { FittingsError } from '@mcp-fittings/client-core';
import type { Transport } from '@mcp-fittings/client-core/transport';
import type { Engine } from '../../contracts/engine.js';
import { isLocal } from './era.js';

/**
 * Creates an engine that is loaded when the first server connects, so that a missing SDK is the error of each server rather
 * than a failed import of this package. A local server starts meanwhile: to load an SDK takes as long as Node.js takes to start
 * twice, and nothing is sent to the server before.
 */
export function loadLater(name: string, peer: string, load: () => Promise<Engine>): Engine {
  let loading: Promise<Engine> | undefined;
  let loaded = false;
  return {
    specVersion: 1,
    name,
    async connect(transport, options) {
      let engine: Engine;
      if (!loaded && isLocal(transport)) startNow(transport);
      loading ??= load();
      try {
        engine = await loading;
        loaded = true;
      } catch (cause) {
        loading = undefined;
        await transport.close();
        if (!isMissing(cause, peer)) throw cause;
        throw new FittingsError(
          'CONFIG_INVALID',
          `The engine "${name}" needs the package ${peer}, which is not installed.`,
          {
            server: options.server,
            cause,
            hint: `Run "npm install ${peer}", or use native() of "@mcp-fittings/host/native", which needs no other package.`,
          },
        );
      }
      return engine.connect(transport, options);
    },
  };
}

/** Starts the transport. The engine's own `start()` settles as this one does. */
function startNow(transport: Transport): void {
  const started = transport.start();
  started.catch(() => undefined);
  transport.start = () => started;
}

function isMissing(cause: unknown, peer: string): boolean {
  if (!(cause instanceof Error) || !('code' in cause)) return false;
  const { code } = cause;
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && cause.message.includes(peer);
}
