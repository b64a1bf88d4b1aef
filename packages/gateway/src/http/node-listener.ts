import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@mcp-fittings/client-core';
import { REFUSAL_CODES, refuse } from './refusals.js';

/** Answers a request of the Fetch API. */
type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Serves a fetch handler with `node:http`. The body of a request is read when the handler reads it, so that a request can be refused before
 * that. `request.signal` is aborted if the client disconnects before the response is complete.
 */
export function createNodeListener(
  handle: FetchHandler,
  logger: Logger | undefined,
): (request: IncomingMessage, response: ServerResponse) => void {
  /** Held here because Node.js forgets the signal of a request that nothing refers to. */
  const open = new Set<Request>();
  /** One for all requests: each would have a stack of its own. */
  const closed = new Error('The connection has ended.');
  return (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort(closed));
    // A client that has disconnected is reported by `close`.
    outgoing.on('error', () => undefined);
    const serve = async (): Promise<void> => {
      const request = toRequest(incoming, gone.signal);
      if (request !== undefined) {
        open.add(request);
        outgoing.once('close', () => open.delete(request));
      }
      const answer =
        request === undefined ? refuse(400, 'The request target is not valid.') : await handle(request);
      await write(answer, outgoing, gone.signal, incoming.method === 'HEAD');
    };
    serve().catch((error: unknown) => {
      logger?.error('A request could not be answered.', { error: String(error) });
      const internal = refuse(500, 'Internal error.', { code: REFUSAL_CODES.internalError });
      if (outgoing.headersSent) outgoing.destroy();
      else void write(internal, outgoing, gone.signal, false).catch(() => outgoing.destroy());
    });
  };
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '/', headers, headersDistinct } = incoming;
  const secure = 'encrypted' in incoming.socket;
  const base = `${secure ? 'https' : 'http'}://${hostOf(headers.host)}`;
  // A proxy may send the absolute form; only the Host header counts.
  const target = url.startsWith('/') ? `${base}${url}` : url;
  if (!URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  const list = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    if (!name.startsWith(':')) for (const value of values) list.append(name, value);
  }
  const body = method === 'GET' || method === 'HEAD' ? undefined : lazyBody(incoming);
  try {
    return new Request(`${base}${pathname}${search}`, {
      method,
      headers: list,
      signal,
      ...(body && { body, duplex: 'half' }),
    });
  } catch {
    // TRACE and CONNECT, and a path such as `//`.
    return undefined;
  }
}

/** An invalid Host is refused later, by its header. */
function hostOf(host: string | undefined): string {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`)
    ? host
    : 'localhost';
}

/** Touches the message only when it is read: Node.js discards the body of a message that was not touched. */
function lazyBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= incoming.iterator({ destroyOnReturn: false });
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks?.return?.();
        incoming.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Headers of one connection; Node.js sets its own. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding']);

async function write(
  answer: Response,
  outgoing: ServerResponse,
  gone: AbortSignal,
  isHead: boolean,
): Promise<void> {
  const { status, headers, body } = answer;
  for (const [name, value] of headers) {
    if (!CONNECTION_HEADERS.has(name) && name !== 'set-cookie') outgoing.setHeader(name, value);
  }
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  outgoing.writeHead(status);
  if (body === null || isHead) {
    await body?.cancel();
    outgoing.end();
    return;
  }
  // An event stream may have nothing to say for long. Anything else leaves with its headers and its end, in one packet if it is short.
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) outgoing.flushHeaders();
  let held: Uint8Array | undefined;
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  if (gone.aborted) cancel();
  else gone.addEventListener('abort', cancel, { once: true });
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- a stream is read in order
    const { done, value } = await reader.read();
    if (done) break;
    const ready = isStream ? value : held;
    if (!isStream) held = value;
    // oxlint-disable-next-line no-await-in-loop -- the client decides how fast
    if (ready !== undefined && !outgoing.write(ready)) await drained(outgoing, gone);
  }
  gone.removeEventListener('abort', cancel);
  outgoing.end(held);
}

function drained(outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    if (gone.aborted) return done();
    outgoing.once('drain', done);
    gone.addEventListener('abort', done, { once: true });
  });
}
