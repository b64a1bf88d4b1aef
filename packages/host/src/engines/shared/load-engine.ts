import { FittingsError } from '@mcp-fittings/client-core';
import type { Engine } from '../../contracts/engine.js';

/**
 * Creates an engine that is loaded when the first server connects, so that a missing SDK is the error of each server rather
 * than a failed import of this package.
 */
export function loadLater(name: string, peer: string, load: () => Promise<Engine>): Engine {
  let loading: Promise<Engine> | undefined;
  return {
    specVersion: 1,
    name,
    async connect(transport, options) {
      loading ??= load();
      let engine: Engine;
      try {
        engine = await loading;
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
            hint: `Run "npm install ${peer}".`,
          },
        );
      }
      return engine.connect(transport, options);
    },
  };
}

function isMissing(cause: unknown, peer: string): boolean {
  if (!(cause instanceof Error) || !('code' in cause)) return false;
  const { code } = cause;
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && cause.message.includes(peer);
}
