import {
  type Clock,
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCResponse,
  type Transport,
  TransportError,
} from '@mcp-fittings/client-core';
import { withTimeout } from '@mcp-fittings/toolbox/timing';

/** Begins the id of every request that is sent here. The ids of both SDKs are numbers. */
const PREFIX = 'com.mcp-fittings/tasks/';

export interface OwnRequestsDeps {
  readonly wire: Pick<Transport, 'send' | 'hasPerRequestStream'>;
  readonly server: string;
  readonly clock: Clock;
  readonly requestMs: number;
}

export interface OwnRequestOptions {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Sends requests that the client above does not know of. */
export class OwnRequests {
  readonly #deps: OwnRequestsDeps;
  readonly #waiting = new Map<string, (response: JSONRPCResponse) => void>();
  #last = 0;

  constructor(deps: OwnRequestsDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with the response. Rejects with the error of the transport, with `TIMEOUT`, or with the reason of `signal`.
   */
  async send(
    method: string,
    params: JSONRPCObject,
    { headers, signal }: OwnRequestOptions,
  ): Promise<JSONRPCResponse> {
    const { wire, server, clock, requestMs } = this.#deps;
    const id = `${PREFIX}${++this.#last}`;
    let isOpen = true;
    const late = (): Error =>
      new TransportError('TIMEOUT', `The server "${server}" did not answer ${method} in time.`, {
        server,
        delivery: 'unknown',
      });
    try {
      return await withTimeout(
        { ms: requestMs, error: late, signal, clock },
        (within) =>
          new Promise<JSONRPCResponse>((resolve, reject) => {
            this.#waiting.set(id, (response) => {
              isOpen = false;
              resolve(response);
            });
            const request: JSONRPCMessage = { jsonrpc: '2.0', id, method, params };
            wire.send(request, { requestSignal: within, headers }).catch((error: unknown) => {
              if (!within.aborted) isOpen = false;
              reject(asError(error));
            });
          }),
      );
    } finally {
      this.#waiting.delete(id);
      // A response stream of its own was closed by the signal already.
      if (isOpen && wire.hasPerRequestStream !== true) {
        const cancelled = { requestId: id, reason: 'no longer needed' };
        wire
          .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled })
          .catch(() => undefined);
      }
    }
  }

  /** Takes a response; returns `false` if it answers a request of the client. */
  take(response: JSONRPCResponse): boolean {
    const { id } = response;
    if (typeof id !== 'string' || !id.startsWith(PREFIX)) return false;
    // A late response is dropped: the client does not know its id.
    this.#waiting.get(id)?.(response);
    return true;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
