import { request } from 'node:http';

/** Forwards a request to a port of this machine, and its answer back. */
export function forward(incoming, reply, port, path = incoming.url) {
  const headers = { ...incoming.headers, host: `127.0.0.1:${port}` };
  const outgoing = request({ port, path, method: incoming.method, headers }, (answer) => {
    reply.writeHead(answer.statusCode, answer.headers);
    answer.pipe(reply);
  });
  outgoing.on('error', () => reply.destroy());
  reply.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
