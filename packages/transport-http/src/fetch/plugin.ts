import type { TransportPlugin } from '@mcp-fittings/client-core';
import { httpEntryFields } from '@mcp-fittings/toolbox/connect';
import { entrySchema, type Field } from '@mcp-fittings/toolbox/entries';
import { apiKeyField, HTTP_TYPE, type HttpPluginOptions } from '../options.js';
import { createHttpTransport } from './create-http-transport.js';

const { url, headers, ...ofNode } = httpEntryFields();

/** Without these, messages could go where they must not, so they are refused instead of left out. */
const refused = Object.fromEntries(Object.keys(ofNode).map((name) => [name, unavailable()]));

const fields = { ...refused, url, headers, apiKey: apiKeyField } as const;

/** A configuration entry of type `http` where `fetch` reaches the server: without a proxy, certificates and addresses. */
export interface FetchEntry {
  /** URL of the server. */
  readonly url: string;
  /** HTTP headers to send to the server, and to no other host. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Token to send as `Authorization: Bearer …`. Default: none. */
  readonly apiKey?: string | undefined;
}

/**
 * Creates the plugin for entries of type `http`, also spelled `streamable-http` and `streamableHttp`, on the `fetch` of the platform. An
 * entry that sets a proxy, a certificate, an address or the time to connect is refused. The options apply to every server of that type.
 *
 * @example
 * ```ts
 * import { http } from '@mcp-fittings/transport-http/fetch';
 *
 * const host = createHost({ name, version, transports: [http()] });
 * ```
 */
export function http(options: HttpPluginOptions = {}): TransportPlugin<FetchEntry> {
  const { fallback, ...shared } = options;
  return {
    ...HTTP_TYPE,
    schema: entrySchema(fields),
    fallback,
    create: (entry, { server, auth, signal, logger, clock }) =>
      createHttpTransport({ ...shared, ...entry, server, auth, signal, logger, clock }),
  };
}

function unavailable(): Field<undefined> {
  return {
    required: false,
    jsonSchema: { not: {} },
    problem: () => 'cannot be set where `fetch` reaches the server',
  };
}
