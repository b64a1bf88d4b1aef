import type { TransportError } from '@mcp-fittings/client-core';
import type { HttpRequest, Network, ResponseHead } from '@mcp-fittings/network';
import type { Lifetime } from '../lifetime.js';

/** Takes the body of a reply as it arrives. */
export interface BodySink {
  data(bytes: Uint8Array): void;
  /** The body is complete. What it throws is how the request fails. */
  end(): void;
}

/** A reply whose head was accepted: its body went to the sink. */
export interface AcceptedReply {
  readonly accepted: true;
  readonly head: ResponseHead;
  /** Why the body ended before its end. */
  readonly broken?: unknown;
}

/** Any other reply, with the beginning of its body. */
export interface RefusedReply {
  readonly accepted: false;
  readonly head: ResponseHead;
  readonly text: string;
}

/** Enough for a JSON-RPC error or a sentence; more of a refusal is not read. */
const REFUSAL_BYTES = 64 * 1024;

/**
 * Sends one HTTP request and settles when its reply has been read. `accept` looks at the head and says who takes the
 * body. Rejects when no head came; settles with nothing when `lifetime` ends first.
 */
export function send(
  network: Pick<Network, 'exchange'>,
  request: HttpRequest,
  lifetime: Lifetime,
  accept: (head: ResponseHead) => BodySink | undefined,
): Promise<AcceptedReply | RefusedReply | undefined> {
  return new Promise((resolve, reject) => {
    let head: ResponseHead | undefined;
    let sink: BodySink | undefined;
    let refusal: { readonly chunks: Uint8Array[]; bytes: number } | undefined;

    const settle = (reply: AcceptedReply | RefusedReply | undefined): void => {
      stay();
      resolve(reply);
    };
    const refused = (at: ResponseHead, chunks: readonly Uint8Array[]): void =>
      settle({
        accepted: false,
        head: at,
        text: Buffer.concat(chunks).subarray(0, REFUSAL_BYTES).toString('utf8'),
      });
    const broken = (at: ResponseHead, cause: unknown): void =>
      settle({ accepted: true, head: at, broken: cause });

    const exchange = network.exchange(request, {
      onHeaders(received) {
        head = received;
        try {
          sink = accept(received);
        } catch (cause) {
          exchange.abort();
          return broken(received, cause);
        }
        if (sink === undefined) refusal = { chunks: [], bytes: 0 };
      },
      onData(bytes) {
        if (head === undefined) return;
        if (refusal === undefined) {
          try {
            sink?.data(bytes);
          } catch (cause) {
            exchange.abort();
            broken(head, cause);
          }
          return;
        }
        refusal.chunks.push(bytes);
        refusal.bytes += bytes.length;
        if (refusal.bytes < REFUSAL_BYTES) return;
        exchange.abort();
        refused(head, refusal.chunks);
      },
      onEnd() {
        if (head === undefined) return settle(undefined);
        if (refusal !== undefined) return refused(head, refusal.chunks);
        try {
          sink?.end();
          settle({ accepted: true, head });
        } catch (cause) {
          broken(head, cause);
        }
      },
      onError(error: TransportError) {
        if (head === undefined) {
          stay();
          reject(error);
        } else if (refusal === undefined) broken(head, error);
        else refused(head, refusal.chunks);
      },
    });
    const stay = lifetime.onEnd(() => {
      exchange.abort();
      resolve(undefined);
    });
  });
}
