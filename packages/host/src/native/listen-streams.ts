import type { Clock, FittingsError, JSONRPCObject, Transport } from '@mcp-fittings/client-core';
import { isRecord, META } from '@mcp-fittings/toolbox/messages';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import type { ListenFilter, Subscription } from '../engine/listening.js';
import { connectionError, timeoutError } from '../engine/request-errors.js';
import type { Connection } from './connection.js';

const METHOD = 'subscriptions/listen';

export interface ListenStreamsOptions {
  readonly server: string;
  readonly transport: Transport;
  readonly connection: Connection;
  readonly clock: Clock;
  /** Longest time until the server acknowledges a stream, in milliseconds. */
  readonly timeoutMs: number;
}

/** The open `subscriptions/listen` requests of one connection, by id. Each ends with its response. */
export class ListenStreams {
  readonly #options: ListenStreamsOptions;
  readonly #open = new Map<string, { readonly acknowledge: () => void; readonly end: () => void }>();
  #lastId = 0;

  constructor(options: ListenStreamsOptions) {
    this.#options = options;
  }

  /** Opens a stream. Resolves when the server has acknowledged it. */
  async open(notifications: ListenFilter): Promise<Subscription> {
    const { server, transport, connection, clock, timeoutMs } = this.#options;
    // A string, so that no server can confuse it with the id of another request.
    const id = `listen:${++this.#lastId}`;
    const failed = { server, transport, what: METHOD };
    const local = new AbortController();
    let end = (): void => undefined;
    const acknowledged = new Promise<void>((acknowledge) => {
      this.#open.set(id, { acknowledge, end: () => end() });
    });
    const ended = connection.request(
      METHOD,
      { notifications },
      { id, signal: local.signal, endsWithStream: true },
    );
    const closed = Promise.race([
      ended.then(
        () => 'graceful',
        () => (local.signal.aborted ? 'local' : 'remote'),
      ),
      new Promise<string>((resolve) => {
        end = () => {
          resolve('remote');
          local.abort();
        };
      }),
    ]).finally(() => this.#open.delete(id));
    const close = async (): Promise<void> => {
      local.abort();
      await closed;
    };
    const early = ended.then((): never => {
      throw connectionError(failed, 'unknown');
    });
    const late = (): FittingsError => timeoutError(failed, undefined);
    try {
      await withTimeout({ ms: timeoutMs, error: late, clock }, () => Promise.race([acknowledged, early]));
    } catch (error) {
      await close();
      throw error;
    }
    return { closed, close };
  }

  /** Returns `false` for a notification that is not about a stream. */
  receive(method: string, params: JSONRPCObject): boolean {
    if (method === 'notifications/subscriptions/acknowledged') {
      const meta: unknown = params['_meta'];
      const id = isRecord(meta) ? meta[META.subscriptionId] : undefined;
      if (typeof id === 'string') this.#open.get(id)?.acknowledge();
      return true;
    }
    if (method !== 'notifications/cancelled') return false;
    const { requestId } = params;
    if (typeof requestId === 'string') this.#open.get(requestId)?.end();
    return true;
  }
}
