import { once } from 'node:events';
import { createServer } from 'node:http';
import { createKitPeer } from '@mcp-fittings/testkit/peer';

/** What the contract suite needs to know of Streamable HTTP, and a server for it. `replies` is `json` or `sse`. */
export function kitOptions(createHttpTransport, replies) {
  return {
    name: `http, answers as ${replies}`,
    capabilities: {
      peerMessages: replies === 'sse',
      peerRequests: replies === 'sse',
      orderedSends: false,
      peerDeath: 'request',
      perRequestStream: true,
      handshake: true,
      sessionId: true,
      signal: true,
      serverName: true,
      garbage:
        replies === 'sse'
          ? ['data: {not json\n\n', ': comment\n\n', 'event: other\ndata: {}\n\n', 'nonsense\n\n']
          : [],
    },
    async setup(options) {
      const server = await kitServer(replies);
      const transport = createHttpTransport({ url: server.url, ...options });
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
      const server = await kitServer(replies);
      await server.stop();
      const transport = createHttpTransport({ url: server.url });
      return { transport, teardown: () => transport.close() };
    },
  };
}

async function kitServer(replies) {
  /** Open exchanges by the id of their request. */
  const open = new Map();
  const sockets = new Set();
  let unsolicited;
  let early = [];
  let current;

  const write = (response, text) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
  };
  const event = (value) => `data: ${JSON.stringify(value)}\n\n`;

  const peer = createKitPeer({
    send(value, { relatedRequestId }) {
      // As in the SDK's server, a response travels on the stream of the request that it answers.
      const answers =
        typeof value === 'object' && value !== null && !('method' in value) ? value.id : undefined;
      const id = open.has(answers) ? answers : relatedRequestId;
      const response = open.get(id);
      if (response === undefined) {
        // The stream of its request is over.
        if (answers !== undefined) return;
        if (unsolicited === undefined) early.push(value);
        else write(unsolicited, event(value));
        return;
      }
      if (replies === 'sse') write(response, event(value));
      if (answers !== id) return;
      open.delete(id);
      if (replies === 'sse') response.end();
      else response.writeHead(200, headers()).end(JSON.stringify(value));
    },
    sendRaw: (text) => write(current, text),
  });
  let isHandshake = false;
  const headers = () => ({
    'content-type': 'application/json',
    ...(isHandshake && { 'mcp-session-id': 'kit-session' }),
  });

  const server = createServer(async (request, response) => {
    const { method } = request;
    if (method === 'DELETE') {
      response.writeHead(200).end();
      return;
    }
    if (method === 'GET') {
      unsolicited = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      for (const value of early.splice(0)) write(response, event(value));
      return;
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.method === undefined || message.id === undefined) {
      peer.receive(message);
      response.writeHead(202).end();
      return;
    }
    open.set(message.id, response);
    response.once('close', () => open.get(message.id) === response && open.delete(message.id));
    current = response;
    isHandshake = message.method === 'initialize';
    if (replies === 'sse') {
      response.writeHead(200, { ...headers(), 'content-type': 'text/event-stream' }).flushHeaders();
    }
    peer.receive(message);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/mcp`;

  return {
    url,
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
