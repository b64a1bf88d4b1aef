import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ElicitationRequest } from '../contracts/server-requests.js';

/** Reads the parameters of `elicitation/create`, as an engine passes them on. A missing mode means `form`. */
export function toElicitationRequest(
  server: string,
  params: Readonly<Record<string, unknown>>,
): ElicitationRequest {
  const { mode, message, requestedSchema, url, elicitationId } = params;
  const text = typeof message === 'string' ? message : '';
  if (mode === 'url' && typeof url === 'string') {
    return {
      mode,
      message: text,
      url,
      elicitationId: typeof elicitationId === 'string' ? elicitationId : undefined,
      warnings: [],
    };
  }
  if ((mode === undefined || mode === 'form') && isRecord(requestedSchema)) {
    return { mode: 'form', message: text, schema: requestedSchema, warnings: [] };
  }
  throw new FittingsError(
    'PROTOCOL_VIOLATION',
    `The server "${server}" sent an elicitation request that is neither a form nor a URL.`,
    { server },
  );
}

/** Returns the values that a form can hold: strings, numbers, booleans and lists of strings. Leaves out all others. */
export function elicited(
  content: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean | string[]> {
  const values: ReturnType<typeof elicited> = {};
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      values[name] = value;
    else if (Array.isArray(value) && value.every((element) => typeof element === 'string'))
      values[name] = [...value];
  }
  return values;
}
