import { TransportError } from '@mcp-fittings/client-core';
import { createByteParts } from '@mcp-fittings/client-core/transport';
import type { HttpRequest, Network, ResponseHead } from '@mcp-fittings/network';

/** Of the answer to a message only a refusal is of interest, and only its beginning. */
const READ_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);

/** What came back for a message that was not accepted. */
export interface Refused {
  readonly head: ResponseHead;
  readonly text: string;
}

/** How a caller gives up its message. */
export interface GivingUp {
  readonly signal: AbortSignal;
  /** As in `BaseTransport`. */
  readonly onAbort: (signal: AbortSignal, task: () => void) => () => void;
}

/**
 * Posts one message. Settles with nothing as soon as it is accepted, whatever body follows: the answer of the server
 * comes on the stream. Rejects with a `TransportError`; `ABORTED` when the signal says so.
 */
export function post(
  network: Network,
  request: Pick<HttpRequest, 'url' | 'headers' | 'body'>,
  onHead: (head: ResponseHead) => void,
  giving: GivingUp | undefined,
  server: string | undefined,
): Promise<Refused | undefined> {
  return new Promise((resolve, reject) => {
    const page = createByteParts();
    let head: ResponseHead | undefined;
    let release = (): void => undefined;

    const exchange = network.exchange(
      {
        ...request,
        method: 'POST',
        redirect: 'same-method',
        maxBodyBytes: READ_BYTES,
        overflow: 'truncate',
      },
      {
        onHeaders(received) {
          head = received;
          onHead(head);
          if (head.status < 200 || head.status > 299) return;
          release();
          resolve(undefined);
          // It might never end, and nobody reads it.
          if (head.contentType === 'text/event-stream') exchange.abort();
        },
        onData: (bytes) => page.add(bytes),
        onEnd() {
          release();
          if (head !== undefined) resolve({ head, text: new TextDecoder().decode(page.take(NOTHING)) });
        },
        onError(error) {
          release();
          reject(error);
        },
      },
    );
    const giveUp = (): void => {
      exchange.abort();
      const options = { server, cause: giving?.signal.reason, delivery: 'unknown' } as const;
      reject(new TransportError('ABORTED', 'The caller gave up the request.', options));
    };
    if (giving?.signal.aborted === true) giveUp();
    else if (giving !== undefined) release = giving.onAbort(giving.signal, giveUp);
  });
}
