import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { ElicitationAnswer, ElicitationRequest, Root } from '@mcp-fittings/host';
import type { ClientCapabilities, InputRequest } from '@modelcontextprotocol/server';

/** Returns the question for the client, as its server asked it. */
export function elicitationInput(request: ElicitationRequest): InputRequest {
  if (request.mode === 'url') {
    const { mode, message, url, elicitationId } = request;
    return {
      method: 'elicitation/create',
      // Revision 2025-11-25 identifies the page; the SDK leaves the member out where it does not exist.
      params: { mode, message, url, ...(elicitationId !== undefined && { elicitationId }) },
    } as InputRequest; // The type of the SDK is that of both revisions at once.
  }
  const { message, schema } = request;
  return {
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: schema },
  } as unknown as InputRequest; // The schema is the server's; the client judges it.
}

/** Returns the question of `sampling/createMessage`. */
export function samplingInput(params: JSONRPCObject): InputRequest {
  return { method: 'sampling/createMessage', params } as unknown as InputRequest; // The parameters are the server's.
}

/** Returns why this client cannot be asked; `undefined` if it can. */
export function missingCapability(
  request: InputRequest,
  capabilities: ClientCapabilities | undefined,
): string | undefined {
  const { elicitation, sampling, roots } = capabilities ?? {};
  const params: unknown = request.params;
  switch (request.method) {
    case 'elicitation/create': {
      if (elicitation === undefined) return 'elicitation';
      const isUrl = isRecord(params) && params['mode'] === 'url';
      if (isUrl) return elicitation.url === undefined ? 'elicitation.url' : undefined;
      // Clients of revision 2025-06-18 declare an empty object.
      return elicitation.form === undefined && elicitation.url !== undefined ? 'elicitation.form' : undefined;
    }
    case 'sampling/createMessage': {
      if (sampling === undefined) return 'sampling';
      const needsTools =
        isRecord(params) && (params['tools'] !== undefined || params['toolChoice'] !== undefined);
      return needsTools && sampling.tools === undefined ? 'sampling.tools' : undefined;
    }
    default:
      return roots === undefined ? 'roots' : undefined;
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
