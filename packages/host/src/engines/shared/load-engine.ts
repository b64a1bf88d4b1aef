import { FittingsError } from '@mcp-fittings/client-core';
import type { Engine } from '../../contracts/engine.js';

/**
 * An engine that is loaded when the first server is connected, so that a peer that is not installed is an error that
 * names it, as the state of each server, and not a failed import of this package.
 */
export function loadLater(name: string, peer: string, load: () => Promise<Engine>): Engine {
  let loading: Promise<Engine> | undefined;
  return {
    specVersion: 1,
    name,
    async connect(transport, context) {
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
          `The engine "${name}" needs ${peer}, which is not installed.`,
          {
            server: context.server,
            cause,
            hint: `Run "npm install ${peer}".`,
          },
        );
      }
      return engine.connect(transport, context);
    },
  };
}

function isMissing(cause: unknown, peer: string): boolean {
  if (!(cause instanceof Error) || !('code' in cause)) return false;
  const { code } = cause;
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && cause.message.includes(peer);
}
