import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '@mcp-fittings/client-core';

/** Says why an upgrade is refused. */
export interface UpgradeRefusal {
  readonly status: number;
  /** For the client and the log; contains nothing that a client sent. */
  readonly reason: string;
  readonly wwwAuthenticate?: string | undefined;
}

const LINE_BREAK = /[\r\n]/;

/** Answers an upgrade request with a plain HTTP response and closes the connection. */
export function refuseUpgrade(socket: Duplex, { status, reason, wwwAuthenticate }: UpgradeRefusal): void {
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
    // An overload is temporary.
    ...(status === 503 ? ['Retry-After: 1'] : []),
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Logs the first, tenth, hundredth … refusal of each kind, so that a flood of them does not flood the log. */
export function createRefusalLog(logger: Logger | undefined): (refusal: UpgradeRefusal) => void {
  const counts = new Map<string, number>();
  return ({ status, reason }) => {
    const times = (counts.get(reason) ?? 0) + 1;
    counts.set(reason, times);
    if (Number.isInteger(Math.log10(times))) {
      logger?.warn(`Refused a WebSocket upgrade: ${reason}.`, { status, times });
    }
  };
}
