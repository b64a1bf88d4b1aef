import { FittingsError, type Transport } from '@mcp-fittings/client-core';
import { isRecord, isRequestId, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { createRateLimit, type RateLimit } from '../limiters.js';
import type { ServerDeps } from '../setup/server-deps.js';

export interface InboundLimitDeps {
  /** Called for list changes over the limit: dropping one would leave a stale list. */
  readonly onListChanged: (kind: 'tools' | 'prompts' | 'resources') => void;
  /** Called when messages exceed the limit, at most once a second. */
  readonly onFlood: (error: FittingsError) => void;
}

/** Bounds what one server may send on its own, over all its connections. Responses are never dropped. */
export interface InboundLimit {
  /** Returns whether a message that arrived over this transport is within the limit. Refuses a request that is not. */
  passes(message: unknown, transport: Transport): boolean;
}

type Kind = 'request' | 'progress' | 'list' | 'notification';

const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;
/** Most refusals that wait to be sent. A server that sends requests and does not read gets no more. */
const MAX_REFUSALS = 64;

/** Creates a limit that counts requests, progress, list changes and other notifications separately. */
export function createInboundLimit(
  { server, clock, limits }: Pick<ServerDeps, 'server' | 'clock' | 'limits'>,
  deps: InboundLimitDeps,
): InboundLimit {
  const { eventsPerSecond: perSecond } = limits;
  const rate = (): RateLimit => createRateLimit(clock, perSecond);
  const rates: Readonly<Record<Kind, RateLimit>> = {
    request: rate(),
    progress: rate(),
    list: rate(),
    notification: rate(),
  };
  const reports = createRateLimit(clock, 1);
  let refusals = 0;

  const refuse = (transport: Transport, id: string | number): void => {
    if (refusals >= MAX_REFUSALS) return;
    refusals++;
    const error = { code: RPC_CODES.internalError, message: 'Too many requests in one second.' };
    void transport
      .send({ jsonrpc: '2.0', id, error })
      .catch(() => undefined)
      .finally(() => refusals--);
  };

  const passes: InboundLimit['passes'] = (message, transport) => {
    if (!isRecord(message) || typeof message['method'] !== 'string') return true;
    const { id, method } = message;
    const kind = kindOf(method, id);
    if (rates[kind].allow()) return true;
    const list = LIST_CHANGED.exec(method)?.[1];
    if (kind === 'list' && isListKind(list)) deps.onListChanged(list);
    else if (kind === 'request' && isRequestId(id)) refuse(transport, id);
    if (kind !== 'list' && reports.allow()) {
      const text = `The server "${server}" sent more than ${perSecond} ${kind} messages in a second; the rest was dropped.`;
      deps.onFlood(new FittingsError('PROTOCOL_VIOLATION', text, { server }));
    }
    return false;
  };

  return { passes };
}

function kindOf(method: string, id: unknown): Kind {
  if (id !== undefined) return 'request';
  if (method === 'notifications/progress') return 'progress';
  return LIST_CHANGED.test(method) ? 'list' : 'notification';
}

function isListKind(kind: string | undefined): kind is 'tools' | 'prompts' | 'resources' {
  return kind === 'tools' || kind === 'prompts' || kind === 'resources';
}
