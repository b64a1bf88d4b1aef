import { createServer, type IncomingMessage } from 'node:http';
import { WebSocketServer } from 'ws';
import { listen } from './net.js';

/** A response that is not an upgrade. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** A server of the `ws` package whose answer to each upgrade the test decides; undefined lets it happen. */
export interface DecidingServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Each upgrade request that came, in order. */
  readonly requests: IncomingMessage[];
}

/** An upgraded client is told nothing but `fields` of the header, and gets an empty result to each request. */
export async function startDecidingServer(
  decide: (request: IncomingMessage, count: number) => HttpAnswer | undefined,
  fields: (count: number) => readonly string[] = () => [],
): Promise<DecidingServer> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const requests: IncomingMessage[] = [];
  sockets.on('headers', (lines) => lines.push(...fields(requests.length)));
  server.on('upgrade', (request, socket, head) => {
    requests.push(request);
    const answer = decide(request, requests.length);
    if (answer !== undefined) {
      const given = Object.entries(answer.headers ?? {}).flatMap(([name, values]) =>
        [values].flat().map((value) => `${name}: ${value}`),
      );
      const { body = '' } = answer;
      socket.end(
        [
          `HTTP/1.1 ${answer.status} Whatever`,
          `Content-Length: ${Buffer.byteLength(body)}`,
          'Connection: close',
          ...given,
          `\r\n${body}`,
        ].join('\r\n'),
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('message', (data: Buffer) => {
        const { id } = JSON.parse(data.toString()) as { id?: number };
        if (id !== undefined) webSocket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      });
    });
  });
  const listening = await listen(server);
  return {
    url: `ws://127.0.0.1:${listening.port}/mcp`,
    port: listening.port,
    requests,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}
