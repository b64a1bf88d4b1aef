import { isRecord } from '@mcp-fittings/client-core';
import {
  isNotification,
  isRequest,
  isResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@mcp-fittings/client-core/transport';

/** Follows the SDK's question for the newer era, `server/discover`, over the messages of a connection. */
export interface EraProbe {
  /** The server did not answer the question before the handshake of the older era began. */
  readonly isUnanswered: boolean;
  /** For messages of the server; true: an answer to the question that the SDK waits for no more. */
  takes(message: JSONRPCMessage): boolean;
}

/** Why a transport answered the question in the place of a server that stays silent; see `transport-stdio`. */
const SILENT = 'silent';

export function watchEraProbe(transport: Transport): EraProbe {
  const probes = new Set<RequestId>();
  let answered = false;
  let isOver = false;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isRequest(message)) {
      // The ids of the SDK's other requests are numbers.
      if (message.method === 'server/discover' && !isOver) probes.add(message.id);
      else isOver = true;
    } else if (isNotification(message)) isOver = true;
    return send(message, options);
  };
  return {
    get isUnanswered() {
      return probes.size > 0 && !answered;
    },
    takes(message) {
      if (!isResponse(message) || message.id === undefined || message.id === null) return false;
      if (!probes.has(message.id)) return false;
      if (isOver) return true;
      answered = !isSilence(message);
      return false;
    },
  };
}

function isSilence(message: JSONRPCMessage): boolean {
  if (!('error' in message)) return false;
  const { data } = message.error;
  return isRecord(data) && data['reason'] === SILENT;
}
