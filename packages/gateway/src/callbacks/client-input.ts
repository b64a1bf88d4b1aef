import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ElicitationAnswer, ElicitationRequest, Root } from '@mcp-fittings/host';

/** A question for a client: a request of MCP. */
export interface Question {
  readonly method: string;
  readonly params?: JSONRPCObject | undefined;
}

/** Returns the question for the client, as its server asked it. */
export function elicitationInput(request: ElicitationRequest): Question {
  const { mode, message } = request;
  if (mode === 'form')
    return { method: 'elicitation/create', params: { mode, message, requestedSchema: request.schema } };
  const { url, elicitationId } = request;
  // Revision 2025-11-25 identifies the page; the next one does not.
  const identity = elicitationId === undefined ? {} : { elicitationId };
  return { method: 'elicitation/create', params: { mode, message, url, ...identity } };
}

/** Returns why this client cannot be asked; `undefined` if it can. */
export function missingCapability(
  { method, params = {} }: Question,
  capabilities: JSONRPCObject = {},
): string | undefined {
  switch (method) {
    case 'elicitation/create': {
      const { elicitation } = capabilities;
      if (!isRecord(elicitation)) return 'elicitation';
      if (params['mode'] === 'url') return isRecord(elicitation['url']) ? undefined : 'elicitation.url';
      // Clients of revision 2025-06-18 declare an empty object.
      return !isRecord(elicitation['form']) && isRecord(elicitation['url']) ? 'elicitation.form' : undefined;
    }
    case 'sampling/createMessage': {
      const { sampling } = capabilities;
      if (!isRecord(sampling)) return 'sampling';
      const needsTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
      return needsTools && !isRecord(sampling['tools']) ? 'sampling.tools' : undefined;
    }
    default:
      return isRecord(capabilities['roots']) ? undefined : 'roots';
  }
}

/** Reads the answer of a client to an elicitation. Anything malformed is a cancellation. */
export function readElicitationAnswer(response: unknown): ElicitationAnswer {
  if (!isRecord(response)) return { action: 'cancel' };
  const { action, content } = response;
  if (action === 'accept') return { action, ...(isRecord(content) && { content }) };
  return { action: action === 'decline' ? 'decline' : 'cancel' };
}

/** Reads the answer of a client to `roots/list`. */
export function readRoots(response: unknown): readonly Root[] {
  const roots: unknown = isRecord(response) ? response['roots'] : undefined;
  if (!Array.isArray(roots)) return [];
  return roots.flatMap((root: unknown): readonly Root[] => {
    if (!isRecord(root) || typeof root['uri'] !== 'string' || !root['uri'].startsWith('file://')) return [];
    return [{ uri: root['uri'], ...(typeof root['name'] === 'string' && { name: root['name'] }) }];
  });
}

/** Reads the answer of a client to `sampling/createMessage`. */
export function readSample(response: unknown): JSONRPCObject {
  if (isRecord(response)) return response;
  throw new FittingsError(
    'CALLBACK_FAILED',
    'The client answered sampling/createMessage with something else.',
  );
}
