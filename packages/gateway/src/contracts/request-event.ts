import type { FittingsError } from '@mcp-fittings/client-core';
import type { Caller } from './caller.js';

/** A request of a caller that the gateway has passed on to a server, and that has ended. */
export interface RequestEvent {
  /** The caller that made the request. */
  readonly caller: Caller;
  /** Name of the server in the host. */
  readonly server: string;
  /** Method of the request, such as `tools/call`. */
  readonly method: string;
  /** Original name of the tool or prompt, or URI of the resource. */
  readonly target: string | undefined;
  /** Time from the request to its end, in milliseconds; waiting for a person is part of it. */
  readonly durationMs: number;
  /** Error of the request; absent if the server has answered, also with `isError: true`. */
  readonly error?: FittingsError | undefined;
}
