import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AccessRequest } from '../contracts/access.js';

/** The part of a `node:http` request that is read. */
export type Incoming = Readable & Pick<IncomingMessage, 'method' | 'url' | 'headersDistinct'>;

/** The part of a `node:http` response that is written. */
export type Outgoing = Writable & {
  readonly headersSent: boolean;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
};

/** Headers of a response, by names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** One request over HTTP, and its response. The body of the request is read when someone reads it, so that it can be refused before. */
export class Exchange {
  readonly method: string;
  /** Path of the URL, without the query. */
  readonly path: string;
  /** The request as schemes see it. */
  readonly request: AccessRequest;
  /** Returns the request of the Fetch API, for pages. */
  readonly toFetch: () => Request;
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  readonly #maxUnreadBytes: number;
  #added: ResponseHeaders | undefined;
  #onOver: (() => void)[] | undefined = [];

  constructor(
    incoming: Incoming,
    outgoing: Outgoing,
    options: {
      readonly path: string;
      readonly request: AccessRequest;
      readonly toFetch: () => Request;
      readonly maxUnreadBytes: number;
    },
  ) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.path = options.path;
    this.request = options.request;
    this.method = options.request.method;
    this.toFetch = options.toFetch;
    this.#maxUnreadBytes = options.maxUnreadBytes;
    outgoing.once('close', () => this.#finish());
    // A client that has disconnected is reported by `close`.
    outgoing.on('error', () => undefined);
  }

  /** True if the response is complete, or the client is gone. */
  get isOver(): boolean {
    return this.#onOver === undefined;
  }

  /** Returns a header of the request by its name in lower case. */
  readonly header = (name: string): string | undefined => this.#incoming.headersDistinct[name]?.join(', ');

  /** Calls the function when the response is complete, or the client is gone. */
  onOver(listener: () => void): void {
    if (this.#onOver === undefined) listener();
    else this.#onOver.push(listener);
  }

  /** Adds headers to the response, whatever it will be. */
  add(headers: ResponseHeaders): void {
    this.#added = headers;
  }

  /** Reads the body. Resolves with `undefined` if it has more bytes than the limit, of which no more are kept. */
  read(maxBytes: number): Promise<Buffer | undefined> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const onData = (chunk: Buffer): void => {
        size += chunk.length;
        if (size <= maxBytes) return void chunks.push(chunk);
        chunks.length = 0;
        resolve(undefined);
      };
      incoming.on('data', onData);
      incoming.once('end', () => {
        const [only] = chunks;
        resolve(chunks.length === 1 ? only : Buffer.concat(chunks));
        // An event stream that can be resumed outlives its request, and would keep the body.
        chunks.length = 0;
        incoming.off('data', onData).off('close', onClose);
      });
      incoming.once('error', reject);
      const onClose = (): void => reject(new Error('The client has disconnected.'));
      incoming.once('close', onClose);
    });
  }

  /** Sends a whole response. */
  respond(status: number, headers: ResponseHeaders, body?: string): void {
    if (this.isOver) return;
    const list: OutgoingHttpHeaders = { 'cache-control': 'no-store', ...headers };
    if (body !== undefined) list['content-length'] = Buffer.byteLength(body);
    this.#writeHead(status, list);
    this.#end(body);
  }

  /** Begins an event stream. */
  openStream(headers: ResponseHeaders): void {
    if (this.isOver) return;
    this.#writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    // A stream may have nothing to say for long.
    this.#outgoing.flushHeaders();
  }

  /** Writes to an event stream. Ends it if the client does not read: messages come without regard to that. */
  write(text: string): void {
    if (this.isOver) return;
    if (this.#outgoing.writableLength >= this.#maxUnreadBytes) this.destroy();
    else this.#outgoing.write(text);
  }

  /** Ends an event stream. */
  end(): void {
    if (!this.isOver) this.#end();
  }

  /** Breaks the response off. */
  destroy(): void {
    this.#outgoing.destroy();
    this.#finish();
  }

  /** Sends a response of the Fetch API: a page, or a refusal. */
  async send(response: Response): Promise<void> {
    const { status, headers, body } = response;
    const list: Record<string, string | string[]> = { 'cache-control': 'no-store' };
    for (const [name, value] of headers) if (!CONNECTION_HEADERS.has(name)) list[name] = value;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) list['cache-control'] = 'no-store, no-transform';
    const cookies = headers.getSetCookie();
    if (cookies.length > 0) list['set-cookie'] = cookies;
    if (this.isOver) return void body?.cancel();
    if (body === null || this.method === 'HEAD') {
      this.#writeHead(status, list);
      await body?.cancel();
      return this.#end();
    }
    if (isStream) {
      this.#writeHead(status, list);
      this.#outgoing.flushHeaders();
      // A client that has disconnected ends it, too.
      return pipeline(Readable.fromWeb(body), this.#outgoing).catch(() => undefined);
    }
    const whole = Buffer.from(await response.arrayBuffer());
    this.#writeHead(status, { ...list, 'content-length': whole.length });
    this.#end(whole);
  }

  #writeHead(status: number, headers: OutgoingHttpHeaders): void {
    if (this.#added === undefined) return void this.#outgoing.writeHead(status, headers);
    const { vary, ...added } = this.#added;
    const both = [headers['vary'], vary].filter((value) => value !== undefined).join(', ');
    this.#outgoing.writeHead(status, { ...headers, ...added, ...(both !== '' && { vary: both }) });
  }

  #end(body?: string | Buffer): void {
    this.#outgoing.end(body);
    this.#finish();
  }

  #finish(): void {
    const listeners = this.#onOver ?? [];
    this.#onOver = undefined;
    for (const listener of listeners) listener();
  }
}

/** Headers of one connection; Node.js sets its own. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'set-cookie',
]);

/** Returns the exchange of a request of `node:http`; `undefined` if its target is not valid. */
export function nodeExchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  maxUnreadBytes: number,
): Exchange | undefined {
  const { method = 'GET', url = '/' } = incoming;
  const host = incoming.headersDistinct['host']?.join(', ');
  const base = `${'encrypted' in incoming.socket ? 'https' : 'http'}://${isHost(host) ? host : 'localhost'}`;
  // A proxy may send the absolute form; only the Host header counts. A path after a valid host is always valid.
  const isPath = url.startsWith('/');
  if (method === 'TRACE' || method === 'CONNECT' || !(isPath || URL.canParse(url))) return undefined;
  const { pathname: path, search } = new URL(isPath ? `${base}${url}` : url);
  const href = `${base}${path}${search}`;
  const headers = {
    get: (name: string) => incoming.headersDistinct[name.toLowerCase()]?.join(', ') ?? null,
    has: (name: string) => incoming.headersDistinct[name.toLowerCase()] !== undefined,
  };
  return new Exchange(incoming, outgoing, {
    path,
    request: { method, url: href, headers },
    toFetch: () => toFetch(incoming, outgoing, { method, href }),
    maxUnreadBytes,
  });
}

function toFetch(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { method, href }: { readonly method: string; readonly href: string },
): Request {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort(new Error('The connection has ended.')));
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    if (!name.startsWith(':')) for (const value of values) headers.append(name, value);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // Node.js discards the body of a message that was not touched; this touches it when it is read.
  const body = hasBody ? ReadableStream.from(incoming.iterator({ destroyOnReturn: false })) : null;
  return new Request(href, {
    method,
    headers,
    signal: gone.signal,
    ...(hasBody && { body, duplex: 'half' }),
  });
}

/** An invalid Host is refused later, by its header. */
function isHost(host: string | undefined): host is string {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`);
}
