import {
  described,
  entrySchema,
  text,
  type EntryOf,
  type TransportPlugin,
} from '@mcp-fittings/client-core/transport';
import { networkFields, networkOptionsOf } from '@mcp-fittings/http-client';
import type { SseTransportOptions } from './options.js';
import { openSseTransport } from './sse-transport.js';

/** What holds for every server of this type; the rest comes from the entry and the host. */
export interface SsePluginOptions extends Pick<
  SseTransportOptions,
  'startTimeoutMs' | 'idleMs' | 'maxMessageBytes' | 'retryLater'
> {
  /** Header in which an IDE expects the `authToken` of its entry. Default `X-Claude-Code-Ide-Authorization`. */
  readonly ideTokenHeader?: string | undefined;
}

const IDE_TYPE = 'sse-ide';

const FIELDS = {
  ...networkFields,
  type: text(),
  transportType: text(),
  apiKey: described('Short for the header `Authorization: Bearer …`', text({ minLength: 1 })),
  ideName: described(`Name of the IDE, for ${IDE_TYPE}`, text()),
  authToken: described(
    `Token that the IDE wrote down for its clients, for ${IDE_TYPE}`,
    text({ minLength: 1 }),
  ),
} as const;

/** A configuration entry of the type `sse`. */
export type SseEntry = EntryOf<typeof FIELDS>;

/**
 * The transport type `sse` for a host. An entry of type `sse-ide` is the server of an IDE: it is signed with its
 * `authToken` and never with the host's sign-in.
 */
export function sse(options: SsePluginOptions = {}): TransportPlugin<SseEntry> {
  const { ideTokenHeader = 'X-Claude-Code-Ide-Authorization', ...shared } = options;
  return {
    specVersion: 1,
    type: 'sse',
    aliases: [IDE_TYPE],
    schema: entrySchema(FIELDS),
    create(entry, context) {
      const { apiKey, ideName, authToken } = entry;
      const { url, headers, server, clock, logger, ...network } = networkOptionsOf(entry, context);
      const isIde = (entry.type ?? entry.transportType) === IDE_TYPE;
      const ideHeaders = isIde && authToken !== undefined ? { [ideTokenHeader]: authToken } : {};
      return openSseTransport(
        {
          ...shared,
          url,
          headers: { ...headers, ...ideHeaders },
          apiKey,
          auth: isIde ? undefined : context.auth,
          network,
          server,
          clock,
          logger,
          signal: context.signal,
        },
        isIde ? { ideName } : {},
      );
    },
  };
}
