import type { ErrorCode, FittingsError } from '@mcp-fittings/client-core';

/** Why a call of a tool failed, as JSON for a program. The model gets the text of the rendering. */
export interface ToolFailure {
  /** Code of the `FittingsError`. */
  readonly code: ErrorCode;
  /** Whether the server may have carried out the call: check it before you call again. */
  readonly delivery: FittingsError['delivery'];
  /** What to do about it. */
  readonly hint?: string | undefined;
}

/** Returns why a call failed, without what is only for people who debug: the message, the cause and the details. */
export function toolFailure({ code, delivery, hint }: FittingsError): ToolFailure {
  return { code, delivery, ...(hint !== undefined && { hint }) };
}
