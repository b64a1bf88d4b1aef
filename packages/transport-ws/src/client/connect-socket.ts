import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { TransportError } from '@mcp-fittings/client-core';
import { bareHost } from '@mcp-fittings/toolbox/connect';
import { checkSocketOwner } from '@mcp-fittings/toolbox/private-socket';
import type { TlsContexts } from '@mcp-fittings/toolbox/tls';
import { openTunnel } from './proxy-tunnel.js';

/** Options with which the server is reached. */
export interface Route {
  /** URL with the scheme `ws:` or `wss:`. */
  readonly url: URL;
  /** Path of the Unix socket or named pipe to connect to, if the server has one; there is no proxy then. */
  readonly socketPath: string | undefined;
  readonly proxy: URL | undefined;
  readonly tls: TlsContexts;
  /** Name of the server, for error messages. */
  readonly server: string | undefined;
}

/**
 * Resolves with a socket to the server, local, direct or through a proxy, after the TLS handshake for `wss:`. Rejects with the error of
 * Node.js, with `PROXY_FAILED`, or with the reason of `signal`; no socket is left open then.
 */
export async function connectSocket(route: Route, signal: AbortSignal): Promise<Socket> {
  const { url, socketPath, proxy, tls, server } = route;
  if (socketPath !== undefined) {
    await checkSocketOwner(socketPath);
    return ready(connect(socketPath), 'connect', signal);
  }
  const secure = url.protocol === 'wss:';
  const port = portOf(url, secure);
  const host = bareHost(url.hostname);
  if (proxy === undefined) {
    return secure
      ? secureSocket({ host, port }, host, tls.configured, signal)
      : plainSocket(host, port, signal);
  }
  const toProxy = await connectProxy(proxy, tls.others, server, signal);
  const tunnel = await openTunnel(toProxy, { proxy, host, port, server }, signal);
  return secure ? secureSocket({ socket: tunnel }, host, tls.configured, signal) : tunnel;
}

async function connectProxy(
  proxy: URL,
  context: SecureContext | undefined,
  server: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const secure = proxy.protocol === 'https:';
  const host = bareHost(proxy.hostname);
  const port = portOf(proxy, secure);
  try {
    return await (secure
      ? secureSocket({ host, port }, host, context, signal)
      : plainSocket(host, port, signal));
  } catch (cause) {
    signal.throwIfAborted();
    throw new TransportError('PROXY_FAILED', `Could not connect to the proxy ${proxy.host}.`, {
      server,
      cause,
    });
  }
}

function plainSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return ready(connect({ host, port }), 'connect', signal);
}

function secureSocket(
  to: { readonly host: string; readonly port: number } | { readonly socket: Socket },
  name: string,
  secureContext: SecureContext | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const options = {
    ...to,
    // SNI does not allow IP addresses; the certificate is checked against the address all the same.
    ...(isIP(name) === 0 && { servername: name }),
    host: name,
    ALPNProtocols: ['http/1.1'],
    ...(secureContext !== undefined && { secureContext }),
  };
  return ready(connectTls(options), 'secureConnect', signal);
}

/** Resolves at the event; destroys the socket if it fails or is aborted first. */
async function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  // Never removed, because a late error without a listener would end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw error;
  }
}

function portOf(url: URL, secure: boolean): number {
  if (url.port !== '') return Number(url.port);
  return secure ? 443 : 80;
}
