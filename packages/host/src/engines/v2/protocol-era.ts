import { isSpecType, type DiscoverResult, type PriorDiscovery } from '@modelcontextprotocol/client';
import { isRecord } from '@mcp-fittings/client-core';
import {
  isNotification,
  isRequest,
  isResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@mcp-fittings/client-core/transport';
import type { ProtocolEra, TransportObserver } from '../../contracts/engine.js';

/** Follows the SDK's question for the newer era, `server/discover`, over the messages of a connection. */
export interface EraProbe extends TransportObserver {
  /** The server did not answer the question before the handshake of the older era began. */
  readonly isUnanswered: boolean;
}

/** Why a transport answered the question in the place of a server that stays silent; see `transport-stdio`. */
const SILENT = 'silent';

export function observeEraProbe(): EraProbe {
  const probes = new Set<RequestId>();
  let answered = false;
  let isOver = false;
  return {
    get isUnanswered() {
      return probes.size > 0 && !answered;
    },
    sending(message) {
      if (isOver) return;
      // The ids of the SDK's other requests are numbers.
      if (isRequest(message) && message.method === 'server/discover') probes.add(message.id);
      else isOver = isRequest(message) || isNotification(message);
    },
    received(message) {
      if (!isResponse(message) || message.id === undefined || message.id === null) return message;
      if (!probes.has(message.id)) return message;
      // An answer that the SDK waits for no more.
      if (isOver) return undefined;
      answered = !isSilence(message);
      return message;
    },
  };
}

function isSilence(message: JSONRPCMessage): boolean {
  if (!('error' in message)) return false;
  const { data } = message.error;
  return isRecord(data) && data['reason'] === SILENT;
}

/** What an earlier connection found, as SDK v2 takes it; one that can't be read any more means: find out again. */
export function toPrior(era: ProtocolEra | undefined): PriorDiscovery | undefined {
  if (era === undefined) return undefined;
  if (era.kind === 'initialize') return { kind: 'legacy' };
  const discover: unknown = era.discover;
  if (!isSpecType.DiscoverResult(discover)) return undefined;
  return { kind: 'modern', discover };
}

export function toEra(discover: DiscoverResult | undefined, isGuess: boolean): ProtocolEra {
  return discover === undefined
    ? { kind: 'initialize', ...(isGuess && { isGuess }) }
    : { kind: 'stateless', discover: { ...discover } };
}
