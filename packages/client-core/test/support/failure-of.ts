import { FittingsError } from '@mcp-fittings/client-core';

/** Resolves with the error of ours that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<FittingsError> {
  const error = await promise.then(
    () => new Error('It did not reject.'),
    (cause: unknown) => cause,
  );
  if (error instanceof FittingsError) return error;
  throw error;
}
