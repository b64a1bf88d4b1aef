import {
  FittingsError,
  systemClock,
  type Transport,
  type TransportDescription,
} from '@mcp-fittings/client-core/transport';
import { checkServerUrl, chooseProxy, refuseUnencrypted, withUrl } from '@mcp-fittings/remote-policy';
import { DEFAULT_CLOSE_TIMEOUT_MS, DEFAULT_MAX_MESSAGE_BYTES } from '../socket/limits.js';
import { SocketTransport } from '../socket/socket-transport.js';
import { checkNumbers, checkSocketNumbers } from '../socket/check-limits.js';
import { checkProtocols } from './check-protocols.js';
import type { DialOptions } from './dial.js';
import type { WebSocketTransportOptions } from './options.js';
import { checkUpgradeHeaders } from './upgrade-headers.js';

/**
 * An unstarted connection to an MCP server over WebSocket. The URL is given in the options, or first, as in SDK v1. It ends with the socket; to connect again is for the host,
 * with a new transport.
 *
 * Throws `CONFIG_INVALID` or `HEADER_INVALID` when the options can't work, and `POLICY_DENIED` on a `ws:` URL of another
 * machine without `allowInsecure`. `start()` rejects with an
 * `AuthRequiredError` when a person has to sign in, or with `AUTH_REJECTED`, `CONNECTION_REFUSED`, `CONNECT_FAILED`,
 * `ENDPOINT_INCOMPATIBLE`, `HOST_NOT_FOUND`, `PROXY_FAILED`, `RATE_LIMITED`, `REDIRECT_REFUSED`, `SERVER_ERROR`,
 * `TIMEOUT`, `TLS_FAILED`. `send()` rejects with `CONNECTION_LOST` and others that `closeReason` then holds too, or
 * with `SEND_QUEUE_FULL`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): Transport;
/** The same, with the URL first. */
export function createWebSocketTransport(
  url: string | URL,
  options?: Omit<WebSocketTransportOptions, 'url'>,
): Transport;
export function createWebSocketTransport(
  first: string | URL | WebSocketTransportOptions,
  rest: Omit<WebSocketTransportOptions, 'url'> = {},
): Transport {
  return openWebSocketTransport(withUrl<WebSocketTransportOptions>(first, rest), { facts: {} });
}

/** What only the plugin knows. */
export interface Extras {
  /** For `describe()`. */
  readonly facts: TransportDescription;
  /** Other headers than `Authorization` hold credentials, so that sign-in is no remedy for a 401. */
  readonly hasCredentials?: boolean;
}

export function openWebSocketTransport(
  options: WebSocketTransportOptions,
  { facts, hasCredentials = false }: Extras,
): Transport {
  const { server, network = {}, clock = systemClock, closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = options;
  const { url, warnings } = checkServerUrl(options.url, { server, scheme: 'ws' });
  if (options.allowInsecure !== true) refuseUnencrypted(url, server);
  for (const warning of warnings) options.logger?.warn(warning, { server });
  checkSocketNumbers(options, server);
  const { connectMs = 10_000, headersMs = 10_000 } = network.timeouts ?? {};
  const times = { 'network.timeouts.connectMs': connectMs, 'network.timeouts.headersMs': headersMs };
  checkNumbers(times, { min: 0, server });
  const env = network.env ?? process.env;
  const proxy = chooseProxy(url, { proxy: network.proxy ?? 'env', env, server });
  const headers = configuredHeaders(options);
  const route: DialOptions = {
    url,
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
    facts: { url: url.origin + url.pathname, proxy: proxy?.host, ...facts },
    // What is needed to connect, `ws` too, is loaded when the first transport starts.
    source: { dial: async (signal) => (await import('./dial.js')).dial(route, signal) },
  });
}

function configuredHeaders({
  headers = {},
  apiKey,
  server,
}: WebSocketTransportOptions): Readonly<Record<string, string>> {
  const checked = checkUpgradeHeaders(headers, server);
  if (apiKey === undefined) return checked;
  if (checked['authorization'] !== undefined) {
    throw new FittingsError('CONFIG_INVALID', 'Both `apiKey` and the header Authorization are configured.', {
      server,
      hint: 'Keep one of them.',
    });
  }
  return { ...checked, ...checkUpgradeHeaders({ authorization: `Bearer ${apiKey}` }, server) };
}
