import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface JsonRpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** Answers one request: with a result, or by writing the response itself and giving undefined. */
export type Answer = (
  request: JsonRpcRequest,
  response: ServerResponse,
  incoming: IncomingMessage,
) => Promise<object | undefined> | object | undefined;

export interface JsonRpcServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly JsonRpcRequest[];
  stop(): Promise<void>;
  /** Listens again, at the same port. */
  restart(): Promise<void>;
}

/** A Streamable HTTP server on loopback without any library; what `answers` does not know is refused with -32601. */
export async function jsonRpcServer(
  answers: Readonly<Record<string, Answer>>,
  /** Answers a notification otherwise than with 202; false when it does not. */
  onNotification: (request: JsonRpcRequest, response: ServerResponse) => boolean = () => false,
): Promise<JsonRpcServer> {
  const received: JsonRpcRequest[] = [];
  const all: Readonly<Record<string, Answer>> = {
    initialize: ({ params }) => ({
      protocolVersion: params['protocolVersion'],
      capabilities: { tools: {} },
      serverInfo: { name: 'json-rpc', version: '1.0.0' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: [] }),
    ...answers,
  };
  const server = createServer((incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    incoming.on('data', (chunk) => (body += String(chunk)));
    incoming.on('end', () => {
      const request = { params: {}, ...(JSON.parse(body) as object) } as unknown as JsonRpcRequest;
      received.push(request);
      const { id, method } = request;
      if (id === undefined) {
        if (!onNotification(request, response)) response.writeHead(202).end();
        return;
      }
      const answer = all[method];
      const reply = (message: object): void =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, ...message }));
      if (answer === undefined) return reply({ error: { code: -32601, message: `no ${method}` } });
      Promise.resolve(answer(request, response, incoming)).then(
        (result) => result !== undefined && reply({ result }),
        (error: unknown) => reply({ error }),
      );
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    received,
    stop,
    restart: () => listen(port),
    [Symbol.asyncDispose]: stop,
  };
}
