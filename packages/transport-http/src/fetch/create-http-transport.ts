import { FittingsError, type Transport } from '@mcp-fittings/client-core';
import { createFetchClient } from '@mcp-fittings/http-client/fetch';
import { withUrl } from '@mcp-fittings/toolbox/connect';
import { HttpTransport } from '../http-transport.js';
import { checkOptions, type FetchTransportOptions } from '../options.js';

/**
 * Creates a transport for Streamable HTTP that sends its messages with the `fetch` of the platform. Throws `CONFIG_INVALID` or
 * `HEADER_INVALID` if an option is invalid. Nothing is sent before the first message.
 *
 * In a browser, the server has to allow the page (CORS), and to expose the response headers `Mcp-Session-Id` and `WWW-Authenticate`.
 *
 * @example
 * ```ts
 * import { createHttpTransport } from '@mcp-fittings/transport-http/fetch';
 *
 * const transport = createHttpTransport({ url: 'https://mcp.example.com/mcp' });
 * ```
 */
export function createHttpTransport(options: FetchTransportOptions): Transport;
/** Creates the transport with the URL as the first argument. */
export function createHttpTransport(
  url: string | URL,
  options?: Omit<FetchTransportOptions, 'url'>,
): Transport;
export function createHttpTransport(
  first: string | URL | FetchTransportOptions,
  rest: Omit<FetchTransportOptions, 'url'> = {},
): Transport {
  const options = withUrl<FetchTransportOptions>(first, rest);
  const checked = checkOptions(options);
  if ('network' in options && options.network !== undefined) throw refused(checked.server);
  // It may be that of a socket, which the client refuses.
  const { shown: url, server, headers, clock, logger, maxMessageBytes: maxBodyBytes } = checked;
  return new HttpTransport(checked, createFetchClient({ url, server, headers, clock, logger, maxBodyBytes }));
}

/** A proxy or a certificate that is left out without a word could send messages where they must not go. */
function refused(server: string | undefined): FittingsError {
  return new FittingsError('CONFIG_INVALID', '`network` cannot be set where `fetch` reaches the server.', {
    server,
    hint: 'Import createHttpTransport from "@mcp-fittings/transport-http", which needs Node.js, Bun or Deno.',
  });
}
