import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ElicitationAnswer, ElicitationRequest, Root } from '@mcp-fittings/host';
import type { ClientCapabilities, InputRequest } from '@modelcontextprotocol/server';

/** Returns the question for the client, as its server asked it. */
export function elicitationInput(request: ElicitationRequest): InputRequest {
  const { mode, message } = request;
  if (mode === 'form') {
    return asInput('elicitation/create', { mode, message, requestedSchema: request.schema });
  }
  const { url, elicitationId } = request;
  // Revision 2025-11-25 identifies the page; the next one does not.
  return asInput('elicitation/create', {
    mode,
    message,
    url,
    ...(elicitationId !== undefined && { elicitationId }),
  });
}

/** Returns the question of `sampling/createMessage`. */
export function samplingInput(params: JSONRPCObject): InputRequest {
  return asInput('sampling/createMessage', params);
}

function asInput(method: string, params: JSONRPCObject): InputRequest {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parameters are the server's, and the client validates them
  return { method, params } as unknown as InputRequest;
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
