import type { TransportPlugin } from '@mcp-fittings/client-core';
import { httpEntryFields, type HttpEntryFields, toHttpClientOptions } from '@mcp-fittings/toolbox/connect';
import { described, entrySchema, text } from '@mcp-fittings/toolbox/entries';
import type { SseTransportOptions } from './options.js';
import { openSseTransport } from './sse-transport.js';

const IDE_TYPE = 'sse-ide';

const FIELDS = {
  ...httpEntryFields(),
  type: text(),
  transportType: text(),
  apiKey: described('Token to send as `Authorization: Bearer …`', text({ minLength: 1 })),
  ideName: described(`Name of the IDE, for ${IDE_TYPE}`, text()),
  authToken: described(`Token that the IDE issued for its clients, for ${IDE_TYPE}`, text({ minLength: 1 })),
} as const;

/** A configuration entry of type `sse`: `httpEntryFields` of `toolbox/connect`, an API key, and the fields of `sse-ide`. */
export interface SseEntry extends HttpEntryFields {
  /** Type of the entry: `sse`, or `sse-ide` for the server of an IDE. */
  readonly type?: string | undefined;
  /** Another spelling of `type`, which some configuration files use. */
  readonly transportType?: string | undefined;
  /** Token to send as `Authorization: Bearer …`. Default: none. */
  readonly apiKey?: string | undefined;
  /** Name of the IDE, for `sse-ide`; `describe()` shows it. */
  readonly ideName?: string | undefined;
  /** Token that the IDE issued for its clients, for `sse-ide`. */
  readonly authToken?: string | undefined;
}

/**
 * Creates the plugin for entries of type `sse`. An entry of type `sse-ide` is the server of an IDE, whose requests are signed with
 * its `authToken` and never with the host's sign-in. The options apply to every server of the type. The revision 2025-03-26 deprecated HTTP+SSE.
 *
 * @example
 * ```ts
 * const host = createHost({ name, version, transports: [sse()] });
 * ```
 */
export function sse(
  options: Pick<SseTransportOptions, 'startTimeoutMs' | 'idleMs' | 'maxMessageBytes' | 'retryLater'> & {
    /** Header in which an IDE expects the `authToken` of its entry (type `sse-ide`). Default `X-Claude-Code-Ide-Authorization`. */
    readonly ideTokenHeader?: string | undefined;
  } = {},
): TransportPlugin<SseEntry> {
  const { ideTokenHeader = 'X-Claude-Code-Ide-Authorization', ...shared } = options;
  return {
    specVersion: 1,
    type: 'sse',
    aliases: [IDE_TYPE],
    schema: entrySchema(FIELDS),
    create(entry, deps) {
      const { apiKey, ideName, authToken } = entry;
      const { url, headers, server, clock, logger, ...network } = toHttpClientOptions(entry, deps);
      const isIde = (entry.type ?? entry.transportType) === IDE_TYPE;
      const ideHeaders = isIde && authToken !== undefined ? { [ideTokenHeader]: authToken } : {};
      return openSseTransport(
        {
          ...shared,
          url,
          headers: { ...headers, ...ideHeaders },
          apiKey,
          auth: isIde ? undefined : deps.auth,
          network,
          server,
          clock,
          logger,
          signal: deps.signal,
        },
        isIde ? { ideName } : {},
      );
    },
  };
}
