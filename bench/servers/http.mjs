/**
 * A server of every HTTP kind, chosen by path; its parent gets the ports. `/json` and `/sse` answer a POST as their names
 * say (`/json?5000` lists so many tools), `/idle` also holds a GET open, `/legacy` is HTTP+SSE, and an upgrade is a WebSocket. It reads HTTP from the socket
 * itself, as much of it as the contenders send: beside `node:http`, which costs more than they do, they all look alike.
 */
import { connect, createServer } from 'node:net';
import { WebSocketServer } from 'ws';
import { answer, answerText } from './answer.mjs';

const JOINED = 65_536;
const EVENTS =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\ntransfer-encoding: chunked\r\n\r\n';
const JSON_ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ';
const ACCEPTED = 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const NO_STREAM = 'HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';
const HEAD_END = '\r\n\r\n';

const streams = new Map();
let nextStream = 0;

/** One connection: requests one after the other, each with all of its body. */
function serve(socket) {
  let pending = Buffer.alloc(0);
  const read = (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let request = take(); request !== undefined; request = take()) {
      if (request.upgrade) return upgrade(request.head);
      handle(request, socket);
    }
  };
  const take = () => {
    const headEnd = pending.indexOf(HEAD_END);
    if (headEnd === -1) return undefined;
    const head = pending.latin1Slice(0, headEnd);
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + Number(/\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (pending.length < bodyEnd) return undefined;
    const body = pending.utf8Slice(bodyStart, bodyEnd);
    pending = pending.subarray(bodyEnd);
    const [method, url] = head.slice(0, head.indexOf('\r')).split(' ');
    return { method, url, body, head, upgrade: method === 'GET' && /\nupgrade: *websocket/i.test(head) };
  };
  const upgrade = (head) => {
    socket.off('data', read);
    upgradeToWebSocket(head, socket, pending);
  };
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', read);
}

function handle({ method, url, body }, socket) {
  const [path, query] = url.split('?');
  if (method === 'GET') return openStream(path, socket);
  if (method === 'DELETE') return socket.write(OK);
  const message = JSON.parse(body);
  if (path === '/legacy') {
    socket.write(ACCEPTED);
    const events = eventWriter(streams.get(query), '');
    answer(message, events.write);
    return events.flush('');
  }
  if (message.id === undefined) return socket.write(ACCEPTED);
  if (path === '/sse') {
    const events = eventWriter(socket, EVENTS);
    answer(message, events.write);
    return events.flush(LAST_CHUNK);
  }
  const write = (text) => socket.write(`${JSON_ANSWER}${Buffer.byteLength(text)}${HEAD_END}${text}`);
  return answer(message, write, Number(query ?? 1));
}

function openStream(path, socket) {
  if (path !== '/legacy' && path !== '/idle') return socket.write(NO_STREAM);
  if (path === '/idle') return socket.write(EVENTS + chunkOf(': open\n\n'));
  const id = String(nextStream++);
  streams.set(id, socket);
  socket.on('close', () => streams.delete(id));
  return socket.write(EVENTS + chunkOf(`event: endpoint\ndata: /legacy?${id}\n\n`));
}

/** Events of one turn, in as few chunks as they fit in; `head` goes before the first of them. */
function eventWriter(socket, head) {
  let before = head;
  let out = '';
  const flush = (after) => {
    socket.write(before + (out === '' ? '' : chunkOf(out)) + after);
    before = '';
    out = '';
  };
  return {
    write: (text) => {
      out += `event: message\ndata: ${text}\n\n`;
      if (out.length > JOINED) flush('');
    },
    flush,
  };
}

function chunkOf(text) {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

const webSockets = new WebSocketServer({ noServer: true });

function upgradeToWebSocket(head, socket, rest) {
  const [first, ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const [method, url] = first.split(' ');
  webSockets.handleUpgrade({ method, url, headers, socket }, socket, rest, (webSocket) => {
    webSocket.on('message', (data) => {
      socket.cork();
      answerText(data.toString(), (text) => webSocket.send(text));
      socket.uncork();
    });
  });
}

const ports = await Promise.all(
  Array.from({ length: Number(process.argv[2] ?? 1) }, async () => {
    const server = createServer(serve);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', 2048, resolve));
    return server.address().port;
  }),
);
/** Calls itself, so that V8 has compiled what answers the first call that counts. */
async function warmUp(path, calls) {
  const socket = connect(ports[0], '127.0.0.1');
  const body =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"warm"}}}';
  const request = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  for (let call = 0; call < calls; call++) {
    socket.write(request);
    await new Promise((resolve) => socket.once('data', resolve));
  }
  socket.destroy();
}

const warmCalls = Number(process.argv[3] ?? 0);
await warmUp('/json', warmCalls);
await warmUp('/sse', warmCalls);
process.send(ports);
process.on('disconnect', () => process.exit());
