import { FittingsError, type Transport } from '@mcp-fittings/client-core';
import { isRecord, isRequestId, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { RateLimit } from '../limiters.js';
import type { ServerDeps } from '../setup/server-deps.js';

export interface InboundLimitDeps {
  /** Called for list changes over the limit: dropping one would leave a stale list. */
  readonly onListChanged: (kind: 'tools' | 'prompts' | 'resources') => void;
  /** Called when messages exceed the limit, at most once a second. */
  readonly onFlood: (error: FittingsError) => void;
}

type Kind = 'request' | 'progress' | 'list' | 'notification';

const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;
/** Most refusals that wait to be sent. A server that sends requests and does not read gets no more. */
const MAX_REFUSALS = 64;

type Shared = Pick<ServerDeps, 'server' | 'clock' | 'limits'>;

/**
 * Bounds what one server may send on its own, over all its connections: counts requests, progress, list changes and other notifications
 * separately. Responses are never dropped.
 */
export class InboundLimit {
  readonly #shared: Shared;
  readonly #deps: InboundLimitDeps;
  readonly #rates: Readonly<Record<Kind, RateLimit>>;
  readonly #reports: RateLimit;
  #refusals = 0;

  constructor(shared: Shared, deps: InboundLimitDeps) {
    const { clock, limits } = shared;
    const perSecond = limits.eventsPerSecond;
    this.#shared = shared;
    this.#deps = deps;
    this.#rates = {
      request: new RateLimit(clock, perSecond),
      progress: new RateLimit(clock, perSecond),
      list: new RateLimit(clock, perSecond),
      notification: new RateLimit(clock, perSecond),
    };
    this.#reports = new RateLimit(clock, 1);
  }

  /** Returns whether a message that arrived over this transport is within the limit. Refuses a request that is not. */
  passes(message: unknown, transport: Transport): boolean {
    if (!isRecord(message) || typeof message['method'] !== 'string') return true;
    const { id, method } = message;
    const kind = kindOf(method, id);
    if (this.#rates[kind].allow()) return true;
    const list = LIST_CHANGED.exec(method)?.[1];
    if (kind === 'list' && isListKind(list)) this.#deps.onListChanged(list);
    else if (kind === 'request' && isRequestId(id)) this.#refuse(transport, id);
    if (kind !== 'list' && this.#reports.allow()) {
      const { server, limits } = this.#shared;
      const perSecond = limits.eventsPerSecond;
      const text = `The server "${server}" sent more than ${perSecond} ${kind} messages in a second; the rest was dropped.`;
      this.#deps.onFlood(new FittingsError('PROTOCOL_VIOLATION', text, { server }));
    }
    return false;
  }

  #refuse(transport: Transport, id: string | number): void {
    if (this.#refusals >= MAX_REFUSALS) return;
    this.#refusals++;
    const error = { code: RPC_CODES.internalError, message: 'Too many requests in one second.' };
    void transport
      .send({ jsonrpc: '2.0', id, error })
      .catch(() => undefined)
      .finally(() => this.#refusals--);
  }
}

function kindOf(method: string, id: unknown): Kind {
  if (id !== undefined) return 'request';
  if (method === 'notifications/progress') return 'progress';
  return LIST_CHANGED.test(method) ? 'list' : 'notification';
}

function isListKind(kind: string | undefined): kind is 'tools' | 'prompts' | 'resources' {
  return kind === 'tools' || kind === 'prompts' || kind === 'resources';
}
