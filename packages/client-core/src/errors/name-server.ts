import type { FittingsError } from './fittings-error.js';

/** Says which server an error is about, if it does not say so itself, and gives the error back. */
export function nameServer<E extends FittingsError>(error: E, server: string | undefined): E {
  return server === undefined || error.server !== undefined ? error : Object.assign(error, { server });
}
