import { FittingsError } from '@mcp-fittings/client-core';

/** The signal of a sign-in was aborted. */
export function givenUp(server: string): FittingsError {
  return new FittingsError('ABORTED', `The sign-in to "${server}" was given up.`, { server });
}
