import type { Transport } from '@mcp-fittings/client-core';
import { createHttpClient, type HttpClientOptions } from '@mcp-fittings/http-client';
import { withUrl } from '@mcp-fittings/toolbox/connect';
import { HttpTransport } from './http-transport.js';
import { checkOptions, type FetchTransportOptions } from './options.js';

/** Options of a Streamable HTTP transport. Only `url` is required; times are in milliseconds. */
export interface HttpTransportOptions extends FetchTransportOptions {
  /** Options of the HTTP client: proxy, certificate authorities, client certificate, time limits, sockets, name resolution. */
  readonly network?:
    Omit<HttpClientOptions, 'url' | 'server' | 'headers' | 'maxBodyBytes' | 'clock'> | undefined;
}

/**
 * Creates a transport for Streamable HTTP in all protocol revisions. The URL is a member of the options or, as in the official SDK,
 * the first argument. Throws `CONFIG_INVALID` or `HEADER_INVALID` if an option is invalid. Nothing is sent before the first message.
 *
 * @example
 * ```ts
 * import { createHttpTransport } from '@mcp-fittings/transport-http';
 * import { Client } from '@modelcontextprotocol/client';
 *
 * const client = new Client({ name: 'my-agent', version: '1.0.0' });
 * await client.connect(createHttpTransport({ url: 'https://mcp.example.com/mcp' }));
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function createHttpTransport(options: HttpTransportOptions): Transport;
/** Creates the transport with the URL as the first argument. */
export function createHttpTransport(
  url: string | URL,
  options?: Omit<HttpTransportOptions, 'url'>,
): Transport;
export function createHttpTransport(
  first: string | URL | HttpTransportOptions,
  rest: Omit<HttpTransportOptions, 'url'> = {},
): Transport {
  const { network = {}, ...options } = withUrl<HttpTransportOptions>(first, rest);
  const checked = checkOptions(options);
  const { shown: url, server, headers, clock, logger, maxMessageBytes: maxBodyBytes } = checked;
  const shared = { url, server, headers, maxBodyBytes, clock, logger: network.logger ?? logger };
  return new HttpTransport(checked, createHttpClient({ ...network, ...shared }));
}
