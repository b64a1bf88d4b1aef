import { FittingsError } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { Caller } from '../contracts/caller.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { RequestEvent } from '../contracts/request-event.js';
import type { SurfaceOptions } from './surface-options.js';

/** A request of a caller that goes to a server, as {@link RequestEvent} has it. */
export type DoorRequest = Pick<RequestEvent, 'server' | 'method' | 'target'>;

/**
 * The way of every request of a caller to a server: it is counted against the rate limits, which may refuse it, and reported when it has
 * ended.
 */
export type Door = <T>(caller: Caller, request: DoorRequest, work: () => Promise<T>) => Promise<T>;

/** Creates the door of a surface. */
export function createDoor(options: Pick<SurfaceOptions, 'limiter' | 'observe' | 'clock'>): Door {
  const { limiter, observe, clock = systemClock } = options;
  return async (caller, request, work) => {
    const begun = clock.now();
    const tell = (error?: FittingsError): void =>
      observe?.({ ...request, caller, durationMs: clock.now() - begun, error });
    try {
      if (limiter !== undefined) await limiter.admit(caller, request.server);
      const result = await work();
      tell();
      return result;
    } catch (error) {
      const failure = error instanceof RpcError ? error.cause : error;
      tell(failure instanceof FittingsError ? failure : unexpected(error, request.server));
      throw error;
    }
  };
}

function unexpected(cause: unknown, server: string): FittingsError {
  return new FittingsError('CALLBACK_FAILED', 'The gateway could not process the request.', {
    server,
    cause,
  });
}
