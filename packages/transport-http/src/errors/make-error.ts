import type { ErrorCode, FittingsErrorOptions, TransportError } from '@mcp-fittings/client-core';

/** Makes errors that name the server. */
export type MakeError = (code: ErrorCode, message: string, options?: FittingsErrorOptions) => TransportError;
