import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from './gate.js';

const LINE_BREAK = /[\r\n]/;

/** Answers an upgrade request with plain HTTP and ends the connection. */
export function refuse(socket: Duplex, { status, reason, wwwAuthenticate }: Refusal): void {
  const body = `${reason}.\n`;
  const challenge =
    wwwAuthenticate === undefined || LINE_BREAK.test(wwwAuthenticate)
      ? []
      : [`WWW-Authenticate: ${wwwAuthenticate}`];
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...challenge,
    // What keeps us busy passes.
    ...(status === 503 ? ['Retry-After: 1'] : []),
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
