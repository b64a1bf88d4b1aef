import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientOptions, WebSocket } from 'ws';
import { DEFLATE_OPTIONS } from '../socket/limits.js';
import type { OpenSocket } from '../socket/open-socket.js';

export interface UpgradeRequest {
  /** The class of `ws`, which is loaded when the first transport starts. */
  readonly WebSocket: typeof WebSocket;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocols: readonly string[];
  readonly maxMessageBytes: number;
  readonly perMessageDeflate: boolean;
  /** Called with the head of the answer, whatever it is. */
  readonly onAnswer: (header: ReadHeader, status: number) => void;
  /** Milliseconds that `ws` waits for the end of the TCP connection after both close frames. */
  readonly closeMs: number;
}

/** By lower-case name. */
type ReadHeader = (name: string) => string | undefined;

/** An HTTP answer that is no upgrade. */
export interface UpgradeRefusal {
  readonly status: number;
  readonly header: ReadHeader;
  /** The beginning of the body. */
  readonly text: string;
}

/** More of a body is not read. */
const EXCERPT_BYTES = 4096;

/**
 * Asks for the upgrade on a socket that is ready. Resolves with a refusal when the answer is plain HTTP, whatever
 * its status: no redirect is followed. Rejects with what `ws` or Node reports when the answer is neither, or with the
 * reason of `signal`, and then leaves no socket behind.
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-4.1
 */
export function upgrade(
  socket: Socket,
  request: UpgradeRequest,
  signal: AbortSignal,
): Promise<OpenSocket | UpgradeRefusal> {
  // Newer than the types of ws.
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
    // An answer that has begun is worth more than the reason of a deadline.
    const onAbort = (): void => (refused === undefined ? fail(signal.reason) : refused());
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    const fail = (error: unknown): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    // For good: `ws` reports once more when a handshake is given up.
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
      // What follows the handshake at once is for the engine, which does not listen yet.
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
