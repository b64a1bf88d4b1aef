import type { Transport, TransportDescription } from '@mcp-fittings/client-core';
import {
  checkServerUrl,
  chooseProxy,
  originOf,
  refuseUnencrypted,
  withUrl,
} from '@mcp-fittings/toolbox/connect';
import { headersWithKey } from '@mcp-fittings/toolbox/refusal';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import {
  checkNumbers,
  checkSocketNumbers,
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_MAX_MESSAGE_BYTES,
} from '../socket/socket-options.js';
import { SocketTransport } from '../socket/socket-transport.js';
import type { DialOptions } from './dial.js';
import { checkProtocols, RESERVED_HEADERS, type WebSocketTransportOptions } from './options.js';

/**
 * Creates a transport for MCP over WebSocket. The URL is a member of the options or, as in the official SDK, the first argument. The
 * transport ends with its socket; the host reconnects with a new transport.
 *
 * Throws `CONFIG_INVALID` or `HEADER_INVALID` if an option is invalid, and `POLICY_DENIED` for a `ws:` URL of another machine without
 * `allowInsecure`. `start()` rejects with an `AuthRequiredError` if the user has to sign in, or with `AUTH_REJECTED`, `CONNECTION_REFUSED`, `CONNECT_FAILED`,
 * `ENDPOINT_INCOMPATIBLE`, `HOST_NOT_FOUND`, `PROXY_FAILED`, `RATE_LIMITED`, `REDIRECT_REFUSED`, `SERVER_ERROR`,
 * `TIMEOUT`, `TLS_FAILED`. `send()` rejects with the error that `closeReason` has, such as `CONNECTION_LOST`, or with
 * `SEND_QUEUE_FULL`.
 *
 * @example
 * ```ts
 * import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
 * import { Client } from '@modelcontextprotocol/client';
 *
 * const client = new Client({ name: 'my-agent', version: '1.0.0' });
 * await client.connect(createWebSocketTransport({ url: 'wss://mcp.example.com/ws' }));
 * ```
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): Transport;
/** Creates the transport with the URL as the first argument. */
export function createWebSocketTransport(
  url: string | URL,
  options?: Omit<WebSocketTransportOptions, 'url'>,
): Transport;
export function createWebSocketTransport(
  first: string | URL | WebSocketTransportOptions,
  rest: Omit<WebSocketTransportOptions, 'url'> = {},
): Transport {
  return openWebSocketTransport(withUrl<WebSocketTransportOptions>(first, rest), { description: {} });
}

/** Options that the plugin adds. */
export interface PluginSettings {
  /** Members for `describe()`. */
  readonly description: TransportDescription;
  /** Is true if headers other than `Authorization` hold credentials, so that sign-in does not help against a 401. Default `false`. */
  readonly hasCredentials?: boolean;
}

/** Creates the transport for a plugin. */
export function openWebSocketTransport(
  options: WebSocketTransportOptions,
  { description, hasCredentials = false }: PluginSettings,
): Transport {
  const { server, network = {}, clock = systemClock, closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = options;
  const { url, shown, socketPath, warnings } = checkServerUrl(options.url, {
    server,
    scheme: 'ws',
    sockets: true,
  });
  if (options.allowInsecure !== true) refuseUnencrypted(url, server);
  for (const warning of warnings) options.logger?.warn(warning, { server });
  checkSocketNumbers(options, server);
  const { connectMs = 10_000, headersMs = 10_000 } = network.timeouts ?? {};
  const times = { 'network.timeouts.connectMs': connectMs, 'network.timeouts.headersMs': headersMs };
  checkNumbers(times, { min: 0, server });
  const env = network.env ?? process.env;
  const proxy =
    socketPath === undefined ? chooseProxy(url, { proxy: network.proxy ?? 'env', env, server }) : undefined;
  const headers = headersWithKey(options, RESERVED_HEADERS);
  const route: DialOptions = {
    url,
    shown,
    socketPath,
    server,
    headers,
    auth: options.auth,
    hasCredentials: hasCredentials || headers['authorization'] !== undefined,
    retryLater: options.retryLater ?? {},
    protocols: checkProtocols(options.protocols ?? ['mcp'], server),
    proxy,
    env,
    ca: network.ca,
    clientCertificate: network.clientCertificate,
    maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
    perMessageDeflate: options.perMessageDeflate ?? false,
    connectMs,
    headersMs,
    closeMs: closeTimeoutMs,
    clock,
  };
  return new SocketTransport({
    server,
    clock,
    closeTimeoutMs,
    heartbeat: options.heartbeat,
    maxPings: options.maxPings,
    maxQueuedBytes: options.maxQueuedBytes,
    signal: options.signal,
    description: {
      url: socketPath === undefined ? url.origin + url.pathname : originOf(shown),
      proxy: proxy?.host,
      ...description,
    },
    // Loads `ws` and the certificates only when a transport starts.
    source: { dial: async (signal) => (await import('./dial.js')).dial(route, signal) },
  });
}
