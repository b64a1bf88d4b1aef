import { createByteCollector, TransportError } from '@mcp-fittings/client-core/transport';
import type {
  CollectedRequest,
  Exchange,
  HttpReply,
  HttpRequest,
  ResponseHandler,
  ResponseHead,
} from '../http-client.js';

/** Resolves with the whole response of an exchange. */
export function collect(
  open: (request: HttpRequest, handler: ResponseHandler) => Exchange,
  request: CollectedRequest,
  server: string | undefined,
): Promise<HttpReply> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const body = createByteCollector();
    let head: ResponseHead | undefined;

    const giveUp = (): void => {
      exchange.abort();
      const options = { server, cause: signal?.reason, delivery: 'unknown' } as const;
      reject(new TransportError('ABORTED', 'The request was aborted by the caller.', options));
    };
    const release = (): void => signal?.removeEventListener('abort', giveUp);

    // A caller in JavaScript may ask for a stream all the same; its whole body would be kept in memory.
    const exchange = open(
      { ...request, eventStream: false },
      {
        onHeaders: (received) => {
          head = received;
        },
        onData: (bytes) => body.add(bytes),
        onEnd: () => {
          release();
          if (head !== undefined) resolve(replyOf(head, body.take(NOTHING)));
        },
        onError: (error) => {
          release();
          reject(error);
        },
      },
    );
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
}

const NOTHING = new Uint8Array(0);

function replyOf(head: ResponseHead, body: Uint8Array): HttpReply {
  const { status, url, contentType } = head;
  return {
    status,
    url,
    contentType,
    header: (name) => head.header(name),
    headers: () => head.headers(),
    body,
    text: () => new TextDecoder().decode(body),
  };
}
