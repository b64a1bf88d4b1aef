import { request } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { TransportError } from '@mcp-fittings/client-core';
import { decodeComponent } from '@mcp-fittings/toolbox/text';

/** The proxy, and where its tunnel leads. */
export interface TunnelTarget {
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
  /** Name of the server, for error messages. */
  readonly server: string | undefined;
}

/**
 * Requests a tunnel from an HTTP proxy. Rejects with `PROXY_FAILED`, or with the reason of `signal`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-connect
 */
export function openTunnel(
  socket: Socket,
  { proxy, host, port, server }: TunnelTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const connect = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...credentialsOf(proxy) },
      createConnection: () => socket,
    });
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();

    connect.on('connect', ({ statusCode = 0 }, tunnel, head) => {
      if (statusCode < 200 || statusCode > 299) return fail(refused(proxy, authority, statusCode, server));
      signal.removeEventListener('abort', onAbort);
      // The protocols that are tunneled do not begin with data of the server, but no bytes are dropped.
      if (head.length > 0) tunnel.unshift(head);
      // The types have a duplex stream here; it is the socket that was passed in.
      resolve(socket);
    });
    connect.on('error', (cause) =>
      fail(
        new TransportError('PROXY_FAILED', `The proxy ${proxy.host} closed the connection.`, {
          server,
          cause,
        }),
      ),
    );
    connect.end();
  });
}

function refused(proxy: URL, authority: string, status: number, server: string | undefined): TransportError {
  return new TransportError(
    'PROXY_FAILED',
    `The proxy ${proxy.host} refused a tunnel to ${authority} with status ${status}.`,
    {
      server,
      details: { status },
      // A refusal is final; a 5xx may be temporary.
      retryable: status >= 500,
      hint:
        status === 407
          ? 'Add the user name and password to the URL of the proxy.'
          : 'Check the proxy settings, and whether the proxy allows connections to this host.',
    },
  );
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeComponent(username)}:${decodeComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
