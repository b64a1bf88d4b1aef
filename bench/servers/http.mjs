/**
 * A server of every HTTP kind, chosen by path; its parent gets the ports. `/json` and `/sse` answer a POST as their names
 * say, `/idle` also holds a GET open, `/legacy` is HTTP+SSE, and an upgrade is a WebSocket.
 */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { answer } from './answer.mjs';

const JOINED = 65_536;
const EVENTS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
const streams = new Map();
let nextStream = 0;

function handle(request, response) {
  const [path, query] = request.url.split('?');
  if (request.method === 'GET') return openStream(path, response);
  if (request.method === 'DELETE') return response.writeHead(200).end();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    if (path === '/legacy') {
      response.writeHead(202).end();
      const write = eventWriter(streams.get(query));
      answer(message, (text) => write.event(text));
      write.flush();
    } else if (message.id === undefined) response.writeHead(202).end();
    else if (path === '/sse') {
      response.writeHead(200, EVENTS);
      const write = eventWriter(response);
      answer(message, (text) => write.event(text));
      write.flush();
      response.end();
    } else {
      answer(message, (text) => {
        const length = Buffer.byteLength(text);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).end(text);
      });
    }
  });
}

function openStream(path, response) {
  if (path !== '/legacy' && path !== '/idle') return response.writeHead(405).end();
  response.writeHead(200, EVENTS);
  if (path === '/idle') return response.write(': open\n\n');
  const id = String(nextStream++);
  streams.set(id, response);
  response.on('close', () => streams.delete(id));
  return response.write(`event: endpoint\ndata: /legacy?${id}\n\n`);
}

function eventWriter(response) {
  let out = '';
  const flush = () => {
    if (out !== '') response.write(out);
    out = '';
  };
  return {
    event(text) {
      out += `event: message\ndata: ${text}\n\n`;
      if (out.length > JOINED) flush();
    },
    flush,
  };
}

const webSockets = new WebSocketServer({ noServer: true });
webSockets.on('connection', (webSocket, request) => {
  const { socket } = request;
  socket.setNoDelay(true);
  webSocket.on('message', (data) => {
    socket.cork();
    answer(JSON.parse(data), (text) => webSocket.send(text));
    socket.uncork();
  });
});

const ports = await Promise.all(
  Array.from({ length: Number(process.argv[2] ?? 1) }, async () => {
    const server = createServer(handle);
    server.keepAliveTimeout = 600_000;
    server.requestTimeout = 0;
    server.on('upgrade', (request, socket, head) => {
      webSockets.handleUpgrade(request, socket, head, (webSocket) =>
        webSockets.emit('connection', webSocket, request),
      );
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', 2048, resolve));
    return server.address().port;
  }),
);
process.send(ports);
process.on('disconnect', () => process.exit());
