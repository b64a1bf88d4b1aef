import {
  described,
  entrySchema,
  text,
  type EntryOf,
  type TransportDeps,
  type TransportPlugin,
} from '@mcp-fittings/client-core/transport';
import { networkFields, networkOptionsOf } from '@mcp-fittings/http-client';
import { createHttpTransport } from './http-transport.js';
import type { HttpTransportOptions } from './options.js';

const fields = {
  ...networkFields,
  apiKey: described('Short for the header `Authorization: Bearer …`', text({ minLength: 1 })),
} as const;

/** A configuration entry of type `http`. */
export type HttpEntry = EntryOf<typeof fields>;

/** What holds for every server of this type. */
export interface HttpPluginOptions extends Pick<
  HttpTransportOptions,
  'maxMessageBytes' | 'reconnect' | 'retryLater' | 'closeTimeoutMs'
> {
  /** The host changes over to it when the server refuses `initialize` as only an older one does: `http({ fallback: sse() })`. */
  readonly fallback?: TransportPlugin | undefined;
}

/** The plugin for entries of type `http`, also spelled `streamable-http` and `streamableHttp`. */
export function http(options: HttpPluginOptions = {}): TransportPlugin<HttpEntry> {
  const { fallback, ...shared } = options;
  return {
    specVersion: 1,
    type: 'http',
    aliases: ['streamable-http', 'streamableHttp'],
    schema: entrySchema(fields),
    fallback,
    create: (entry, context) => createHttpTransport({ ...shared, ...optionsOf(entry, context) }),
  };
}

function optionsOf(entry: HttpEntry, context: TransportDeps): HttpTransportOptions {
  const { url, server, headers, clock, logger, ...network } = networkOptionsOf(entry, context);
  const { auth, signal } = context;
  return { url, server, headers, clock, network, apiKey: entry.apiKey, auth, logger, signal };
}
