import type { TransportDeps, TransportPlugin } from '@mcp-fittings/client-core';
import { httpEntryFields, type HttpEntryFields, toHttpClientOptions } from '@mcp-fittings/toolbox/connect';
import { entrySchema } from '@mcp-fittings/toolbox/entries';
import { createHttpTransport, type HttpTransportOptions } from './create-http-transport.js';
import { apiKeyField, HTTP_TYPE, type HttpPluginOptions } from './options.js';

/** A configuration entry of type `http`: `httpEntryFields` of `toolbox/connect`, and an API key. */
export interface HttpEntry extends HttpEntryFields {
  /** Token to send as `Authorization: Bearer …`. Default: none. */
  readonly apiKey?: string | undefined;
}

/**
 * Creates the plugin for entries of type `http`, also spelled `streamable-http` and `streamableHttp`. The options apply to every server
 * of that type; the rest comes from the configuration entry and the host.
 *
 * @example
 * ```ts
 * const host = createHost({ name, version, transports: [http({ fallback: sse() })] });
 * ```
 */
export function http(options: HttpPluginOptions = {}): TransportPlugin<HttpEntry> {
  const { fallback, ...shared } = options;
  return {
    ...HTTP_TYPE,
    schema: entrySchema({ ...httpEntryFields(), apiKey: apiKeyField }),
    fallback,
    create: (entry, deps) => createHttpTransport({ ...shared, ...optionsOf(entry, deps) }),
  };
}

function optionsOf(entry: HttpEntry, deps: TransportDeps): HttpTransportOptions {
  const { url, server, headers, clock, logger, ...network } = toHttpClientOptions(entry, deps);
  const { auth, signal } = deps;
  return { url, server, headers, clock, network, apiKey: entry.apiKey, auth, logger, signal };
}
