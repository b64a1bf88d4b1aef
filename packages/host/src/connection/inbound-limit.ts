import { FittingsError, isRecord, type Clock } from '@mcp-fittings/client-core';
import { RPC_CODES, type Transport } from '@mcp-fittings/client-core/transport';
import { createRateLimit, type RateLimit } from '../observability/rate-limit.js';

export interface InboundLimitOptions {
  readonly server: string;
  readonly clock: Clock;
  /** Of each kind: requests, progress, news of changed lists, and all other notifications. */
  readonly perSecond: number;
  /** News of a changed list that are over the limit: too cheap to lose, as a lost one leaves a stale list. */
  readonly onListChanged: (kind: 'tools' | 'prompts' | 'resources') => void;
  /** Messages were over the limit for the first time, or for the first time in a while. */
  readonly onFlood: (error: FittingsError) => void;
}

/** How much one server may send on its own, over all its connections. Answers to requests of ours are never held back. */
export interface InboundLimit {
  /**
   * Puts the limit between a transport and the engine that uses it, so that what is over the limit costs no more than a
   * look at its method. Call it when the engine has set `onmessage`, before the first message.
   */
  attach(transport: Transport): void;
}

type Handler = NonNullable<Transport['onmessage']>;
type Kind = 'request' | 'progress' | 'list' | 'notification';

const LIST_NEWS = /^notifications\/(tools|prompts|resources)\/list_changed$/;
/** Refusals that wait for the wire; a server that asks and does not read gets no more of them. */
const MAX_REFUSALS = 64;
/** What a server sends unasked takes at most this part of the time; a flood is then left in its pipe. */
const UNASKED_SHARE = 1 / 8;

export function createInboundLimit(options: InboundLimitOptions): InboundLimit {
  const { server, clock, perSecond } = options;
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
    if (kind === 'list' && isListKind(list)) options.onListChanged(list);
    else if (kind === 'request' && (typeof id === 'string' || typeof id === 'number')) refuse(transport, id);
    if (kind !== 'list' && told.allow()) {
      const text = `"${server}" sends more than ${perSecond} ${kind} messages in a second; the rest is dropped.`;
      options.onFlood(new FittingsError('PROTOCOL_VIOLATION', text, { server }));
    }
    return false;
  };

  return {
    attach(transport) {
      transport.limitUnasked?.(UNASKED_SHARE);
      // An engine may call the handler of before from its own: each message counts once.
      let last: unknown;
      let verdict = true;
      const limited =
        (handler: Handler): Handler =>
        (message, extra) => {
          if (message !== last) {
            last = message;
            verdict = passes(message, transport);
          }
          if (verdict) handler(message, extra);
        };
      interceptHandler(transport, limited);
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

/** Wraps the handler that is set, and each that is set later; an accessor that is there still has the last word. */
function interceptHandler(transport: Transport, wrap: (handler: Handler) => Handler): void {
  const inner = accessorOf(transport);
  let own = transport.onmessage;
  let known: { readonly handler: Handler; readonly wrapped: Handler } | undefined;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get(): Handler | undefined {
      const handler: unknown = inner?.get === undefined ? own : inner.get.call(transport);
      if (!isHandler(handler)) return undefined;
      if (known?.handler !== handler) known = { handler, wrapped: wrap(handler) };
      return known.wrapped;
    },
    set(given: Handler | undefined) {
      const handler = given === known?.wrapped ? known?.handler : given;
      if (inner?.set === undefined) own = handler;
      else inner.set.call(transport, handler);
    },
  });
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}

function accessorOf(transport: Transport): PropertyDescriptor | undefined {
  for (let owner: unknown = transport; typeof owner === 'object' && owner !== null;) {
    const found = Object.getOwnPropertyDescriptor(owner, 'onmessage');
    if (found !== undefined) return found;
    owner = Object.getPrototypeOf(owner);
  }
  return undefined;
}
