import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientOptions, WebSocket } from 'ws';
import { DEFLATE_OPTIONS } from '../socket/socket-options.js';
import type { OpenSocket } from '../socket/socket-transport.js';

/** The upgrade request to send. */
export interface UpgradeRequest {
  /** Class of `ws`, which is loaded when the first transport starts. */
  readonly WebSocket: typeof WebSocket;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocols: readonly string[];
  readonly maxMessageBytes: number;
  readonly perMessageDeflate: boolean;
  /** Called with status and headers of any response. */
  readonly onAnswer: (header: ReadHeader, status: number) => void;
  /** Milliseconds that `ws` waits for the TCP connection to end after both close frames. */
  readonly closeMs: number;
}

/** Returns a header by its lower-case name. */
type ReadHeader = (name: string) => string | undefined;

/** A plain HTTP response in place of the upgrade. */
export interface UpgradeRefusal {
  readonly status: number;
  readonly header: ReadHeader;
  /** Beginning of the body. */
  readonly text: string;
}

/** Bytes of the body that are read. */
const EXCERPT_BYTES = 4096;

/**
 * Sends the upgrade request on an open socket. Resolves with a refusal if the response is plain HTTP, whatever its status; redirects
 * are not followed. Rejects with the error of `ws` or Node.js if it is neither, or with the reason of `signal`; the socket is
 * destroyed then.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-4.1
 */
export function upgrade(
  socket: Socket,
  request: UpgradeRequest,
  signal: AbortSignal,
): Promise<OpenSocket | UpgradeRefusal> {
  // `closeTimeout` is missing from the types of ws.
  const options: ClientOptions & { readonly closeTimeout: number } = {
    createConnection: () => socket,
    headers: { ...request.headers },
    followRedirects: false,
    maxPayload: request.maxMessageBytes,
    perMessageDeflate: request.perMessageDeflate && DEFLATE_OPTIONS,
    closeTimeout: request.closeMs,
  };
  return new Promise((resolve, reject) => {
    const webSocket = new request.WebSocket(request.url, [...request.protocols], options);
    let refused: (() => void) | undefined;
    // A response that has started is more useful than a timeout.
    const onAbort = (): void => (refused === undefined ? fail(signal.reason) : refused());
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    const fail = (error: unknown): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    // Never removed on failure, because `ws` reports another error when a handshake is aborted.
    webSocket.on('error', fail);
    webSocket.once('upgrade', (response: IncomingMessage) => request.onAnswer(headersOf(response), 101));
    webSocket.once('unexpected-response', (_request, response: IncomingMessage) => {
      request.onAnswer(headersOf(response), response.statusCode ?? 0);
      const parts: Buffer[] = [];
      let bytes = 0;
      const finish = (): void => {
        settle();
        socket.destroy();
        const text = Buffer.concat(parts).toString('utf8', 0, EXCERPT_BYTES);
        resolve({ status: response.statusCode ?? 0, header: headersOf(response), text });
      };
      refused = finish;
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes >= EXCERPT_BYTES) finish();
      });
      response.once('close', finish);
      response.on('error', finish);
    });
    webSocket.once('open', () => {
      settle();
      webSocket.off('error', fail);
      webSocket.on('error', () => undefined);
      // Messages right after the handshake wait for the engine, which does not listen yet.
      webSocket.pause();
      resolve({ webSocket, socket });
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

function headersOf({ headers }: IncomingMessage): ReadHeader {
  return (name) => {
    const value = headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  };
}
