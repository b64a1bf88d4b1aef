import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface TestProxy extends AsyncDisposable {
  readonly url: string;
  /** The request lines that came: `CONNECT host:port`, `GET http://host/path`. */
  readonly lines: readonly string[];
  readonly authorizations: readonly (string | undefined)[];
  /** How many connections clients have opened. */
  readonly connections: () => number;
}

export interface TestProxyOptions {
  /** Where a host name leads: the proxy resolves it, the client can't. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Wants these credentials. */
  readonly credentials?: string;
  /** Accepts CONNECT and never answers. */
  readonly silent?: boolean;
}

/** A proxy that tunnels CONNECT and forwards requests in absolute form. */
export async function startProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const lines: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const resolve = (host: string): string => options.hosts?.[host] ?? host;
  const allowed = (header: string | undefined): boolean =>
    options.credentials === undefined ||
    header === `Basic ${Buffer.from(options.credentials).toString('base64')}`;

  const server = createServer((incoming, outgoing) => {
    lines.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    authorizations.push(incoming.headers['proxy-authorization']);
    if (!allowed(incoming.headers['proxy-authorization'])) {
      outgoing.writeHead(407, { 'proxy-authenticate': 'Basic' }).end('no');
      return;
    }
    const url = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const onward = forward(
      {
        host: resolve(url.hostname),
        port: url.port,
        path: url.pathname + url.search,
        method: incoming.method,
        headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(onward);
  });
  server.on('connect', (request, client: Socket) => {
    lines.push(`CONNECT ${request.url ?? ''}`);
    authorizations.push(request.headers['proxy-authorization']);
    client.on('error', () => undefined);
    if (options.silent === true) return;
    if (!allowed(request.headers['proxy-authorization'])) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const [host = '', port] = (request.url ?? '').split(':');
    const target = connect(Number(port), resolve(host), () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client);
      client.pipe(target);
    });
    target.on('error', () => client.destroy());
    sockets.add(target);
  });
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    authorizations,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
