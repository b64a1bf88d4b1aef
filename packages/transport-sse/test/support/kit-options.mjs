import { once } from 'node:events';
import { createServer } from 'node:http';
import { createKitPeer } from '@mcp-fittings/testkit/peer';

/** What the contract suite needs to know of HTTP+SSE, and a server for it. */
export function kitOptions(createSseTransport) {
  return {
    name: 'sse',
    capabilities: {
      // Each message is a POST of its own.
      orderedSends: false,
      signal: true,
      serverName: true,
      garbage: [
        ': keep-alive\n\n',
        '\n\n',
        'event: unknown\ndata: {}\n\n',
        'data: no json\n\n',
        'foo: bar\n',
        'id: 7\nretry: 10\n\n',
        'event: endpoint\ndata: http://127.0.0.1:1/elsewhere\n\n',
      ],
    },
    async setup(options) {
      const server = await kitServer();
      const transport = createSseTransport({ url: server.url, ...options });
      return {
        transport,
        killPeer: () => server.stop(),
        async teardown() {
          await transport.close();
          await server.stop();
        },
      };
    },
    async setupUnreachable() {
      const server = await kitServer();
      await server.stop();
      const transport = createSseTransport({ url: server.url });
      return { transport, teardown: () => transport.close() };
    },
  };
}

async function kitServer() {
  let peer;
  const http = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages?session=1\n\n');
      peer = createKitPeer({
        send: (value) => response.write(`event: message\ndata: ${JSON.stringify(value)}\n\n`),
        sendRaw: (text) => response.write(text),
        die: () => response.destroy(),
      });
      return;
    }
    const parts = [];
    for await (const part of request) parts.push(part);
    response.writeHead(202).end('Accepted');
    peer?.receive(JSON.parse(Buffer.concat(parts).toString()));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  let stopped;
  return {
    url: `http://127.0.0.1:${http.address().port}/sse`,
    stop() {
      stopped ??= new Promise((resolve) => {
        http.close(resolve);
        http.closeAllConnections();
      });
      return stopped;
    },
  };
}
