import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import { isRequestId, RPC_CODES, type Transport } from '@mcp-fittings/client-core/transport';
import type { TransportObserver } from '../contracts/engine.js';
import { createRateLimit, type RateLimit } from '../observability/rate-limit.js';
import type { ServerDeps } from '../setup/server-deps.js';

export interface InboundLimitDeps {
  /** News of a changed list that are over the limit: too cheap to lose, as a lost one leaves a stale list. */
  readonly onListChanged: (kind: 'tools' | 'prompts' | 'resources') => void;
  /** Messages were over the limit for the first time, or for the first time in a while. */
  readonly onFlood: (error: FittingsError) => void;
}

/** How much one server may send on its own, over all its connections. Answers to requests of ours are never held back. */
export interface InboundLimit {
  /**
   * Puts the limit on one connection. Add the observer before all others, so that what is over the limit costs no more
   * than a look at its method.
   */
  observe(transport: Transport): TransportObserver;
}

type Kind = 'request' | 'progress' | 'list' | 'notification';

const LIST_NEWS = /^notifications\/(tools|prompts|resources)\/list_changed$/;
/** Refusals that wait for the wire; a server that asks and does not read gets no more of them. */
const MAX_REFUSALS = 64;
/** What a server sends unasked takes at most this part of the time; a flood is then left in its pipe. */
const UNSOLICITED_SHARE = 1 / 8;

/** The limit holds for each kind of message: requests, progress, news of changed lists, and all other notifications. */
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
  const told = createRateLimit(clock, 1);
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

  const passes = (message: unknown, transport: Transport): boolean => {
    if (!isRecord(message) || typeof message['method'] !== 'string') return true;
    const { id, method } = message;
    const kind = kindOf(method, id);
    if (rates[kind].allow()) return true;
    const list = LIST_NEWS.exec(method)?.[1];
    if (kind === 'list' && isListKind(list)) deps.onListChanged(list);
    else if (kind === 'request' && isRequestId(id)) refuse(transport, id);
    if (kind !== 'list' && told.allow()) {
      const text = `"${server}" sends more than ${perSecond} ${kind} messages in a second; the rest is dropped.`;
      deps.onFlood(new FittingsError('PROTOCOL_VIOLATION', text, { server }));
    }
    return false;
  };

  return {
    observe(transport) {
      transport.limitUnsolicited?.(UNSOLICITED_SHARE);
      return { received: (message) => (passes(message, transport) ? message : undefined) };
    },
  };
}

function kindOf(method: string, id: unknown): Kind {
  if (id !== undefined) return 'request';
  if (method === 'notifications/progress') return 'progress';
  return LIST_NEWS.test(method) ? 'list' : 'notification';
}

function isListKind(kind: string | undefined): kind is 'tools' | 'prompts' | 'resources' {
  return kind === 'tools' || kind === 'prompts' || kind === 'resources';
}
