import { isSpecType, type DiscoverResult, type PriorDiscovery } from '@modelcontextprotocol/client';
import type { RequestId } from '@mcp-fittings/client-core';
import { isNotification, isRequest, isResponse } from '@mcp-fittings/toolbox/messages';
import { isSilence, type ProtocolEra } from '@mcp-fittings/host/engine';
import type { MessageObserver } from '../sdk-transport.js';

/** Observes the SDK's probe for the newer era, `server/discover`, in the messages of a connection. */
export interface EraProbe extends MessageObserver {
  /** True if the SDK sent `initialize` before the server had answered the probe. */
  readonly isUnanswered: boolean;
}

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
      // The SDK no longer waits for it.
      if (isOver) return undefined;
      answered = !('error' in message) || !isSilence(message.error.data);
      return message;
    },
  };
}

/** Returns the era of an earlier connection as SDK v2 takes it; `undefined`, so that it probes again, if it is not valid. */
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
