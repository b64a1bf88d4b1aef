import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect } from 'node:net';
import { TLSSocket } from 'node:tls';
import { listen, type Listening } from './net.js';
import type { Identity } from '../../../http-client/test/support/certificates.js';

export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  readonly listening: Listening;
  /** What it was asked for, in order. */
  readonly asked: {
    readonly authority: string;
    readonly headers: NodeJS.Dict<string | string[]>;
    /** Whether the client showed a certificate to a proxy that asks for one. */
    readonly certificate: boolean;
  }[];
}

export interface ConnectProxyOptions {
  /** Speaks TLS itself. */
  readonly identity?: Identity;
  /** Answers this instead of connecting. */
  readonly refuse?: () => number | undefined;
  /** Where a name leads; default 127.0.0.1. */
  readonly host?: string;
}

/** A real proxy: CONNECT, then bytes both ways. */
export async function startProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const server =
    options.identity === undefined
      ? createHttp()
      : createHttps({ ...options.identity, requestCert: true, rejectUnauthorized: false });
  const asked: ConnectProxy['asked'] = [];
  server.on('connect', (request, socket, head) => {
    const authority = request.url ?? '';
    const peer = socket instanceof TLSSocket ? socket.getPeerCertificate() : {};
    asked.push({ authority, headers: request.headers, certificate: Object.keys(peer).length > 0 });
    socket.on('error', () => undefined);
    const status = options.refuse?.();
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const target = connect(Number(/:(\d+)$/.exec(authority)?.[1]), options.host ?? '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
    socket.on('close', () => target.destroy());
  });
  const listening = await listen(server);
  return {
    port: listening.port,
    listening,
    asked,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}
