import { FittingsError } from '@mcp-fittings/client-core';

/** An error of a part that knows no server, such as the credential store, as one about this server: commands to copy name it. */
export function ofServer(error: unknown, server: string): unknown {
  if (!(error instanceof FittingsError) || error.server !== undefined) return error;
  const { code, message, kind, hint, details, delivery } = error;
  return new FittingsError(code, message, { server, cause: error, kind, hint, details, delivery });
}
