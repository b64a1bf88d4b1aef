import { PassThrough, Readable } from 'node:stream';
import type { OutgoingHttpHeaders } from 'node:http';
import { Exchange, type Incoming } from './exchange.js';

/**
 * Answers a request of the Fetch API as one of `node:http` is. Aborting `request.signal`, or canceling the body of the response, is a client
 * that disconnects.
 */
export async function answerFetch(
  request: Request,
  maxUnreadBytes: number,
  handle: (exchange: Exchange) => Promise<void>,
): Promise<Response> {
  const { method, url, headers, signal } = request;
  const outgoing = new FetchOutgoing();
  const stop = (): void => void outgoing.destroy();
  signal.addEventListener('abort', stop, { once: true });
  outgoing.once('close', () => signal.removeEventListener('abort', stop));
  const { pathname: path, host } = new URL(url);
  const headersDistinct = Object.fromEntries(Array.from(headers, ([name, value]) => [name, [value]]));
  const incoming: Incoming = Object.assign(lazily(request), {
    method,
    url,
    headersDistinct: { host: [host], ...headersDistinct },
  });
  const toFetch = (): Request => request;
  const exchange = new Exchange(incoming, outgoing, { path, request, toFetch, maxUnreadBytes });
  if (signal.aborted) stop();
  await handle(exchange);
  return outgoing.response;
}

/** Reads the body when someone listens to it, and leaves it to pages until then. */
function lazily({ body }: Request): Readable {
  const read = async function* (): AsyncGenerator<Uint8Array> {
    if (body !== null) yield* body;
  };
  return Readable.from(read(), { objectMode: false });
}

/** Statuses of responses that have no body. `new Response` refuses the other one, 101. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** A response of `node:http` that becomes one of the Fetch API. */
class FetchOutgoing extends PassThrough {
  headersSent = false;
  readonly response: Promise<Response>;
  #respond: (response: Response) => void = () => undefined;

  constructor() {
    super();
    this.response = new Promise((resolve) => {
      this.#respond = resolve;
      // The client is gone, and does not read it.
      this.once('close', () => resolve(new Response(null, { status: 499 })));
    });
  }

  writeHead(status: number, given: OutgoingHttpHeaders): void {
    this.headersSent = true;
    // The client has just left, and `close` follows.
    if (this.destroyed) return;
    const headers = new Headers();
    for (const [name, value] of Object.entries(given)) {
      for (const each of [value].flat()) if (each !== undefined) headers.append(name, String(each));
    }
    const body = WITHOUT_BODY.has(status) ? null : Readable.toWeb(this);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node.js types its streams apart from those of the Fetch API
    this.#respond(new Response(body as ReadableStream<Uint8Array> | null, { status, headers }));
  }

  flushHeaders(): void {
    // They are there with the response.
  }
}
