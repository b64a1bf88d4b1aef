import {
  described,
  entrySchema,
  flag,
  required,
  text,
  type EntryOf,
  type TransportPlugin,
} from '@mcp-fittings/client-core/transport';
import { clientCertificateOf, remoteFields } from '@mcp-fittings/remote-policy';
import { openWebSocketTransport } from './client-transport.js';
import type { WebSocketTransportOptions } from './options.js';

/** What holds for every server of this type; the rest comes from the entry and the host. */
export interface WebSocketPluginOptions extends Omit<
  WebSocketTransportOptions,
  'url' | 'allowInsecure' | 'headers' | 'apiKey' | 'auth' | 'server' | 'logger' | 'signal'
> {
  /** Header in which an IDE expects the `authToken` of its entry. Default `X-Claude-Code-Ide-Authorization`. */
  readonly ideTokenHeader?: string | undefined;
}

const IDE_TYPE = 'ws-ide';

const FIELDS = {
  type: text(),
  transportType: text(),
  ...remoteFields,
  url: required(described('wss: or ws: URL of the server', text({ minLength: 1 }))),
  allowInsecure: described('Allow ws: to another machine: nothing is encrypted then', flag()),
  apiKey: described('Short for the header `Authorization: Bearer …`', text({ minLength: 1 })),
  ideName: described(`Name of the IDE, for ${IDE_TYPE}`, text()),
  authToken: described(
    `Token that the IDE wrote down for its clients, for ${IDE_TYPE}`,
    text({ minLength: 1 }),
  ),
};

/** A configuration entry of the type `ws`. */
export type WebSocketEntry = EntryOf<typeof FIELDS>;

/**
 * The transport type `ws` (also `websocket`) for a host. An entry of type `ws-ide` is the server of an IDE: it is
 * signed with its `authToken` and never with the host's sign-in.
 */
export function ws(options: WebSocketPluginOptions = {}): TransportPlugin<WebSocketEntry> {
  const { ideTokenHeader = 'X-Claude-Code-Ide-Authorization', ...shared } = options;
  return {
    specVersion: 1,
    type: 'ws',
    aliases: ['websocket', IDE_TYPE],
    schema: entrySchema(FIELDS),
    create(entry, { server, auth, logger, clock, signal }) {
      const { url, allowInsecure, headers, apiKey, ideName, authToken, proxy, ca, connectTimeout } = entry;
      const clientCertificate = clientCertificateOf(entry.clientCertificate, server);
      const isIde = (entry.type ?? entry.transportType) === IDE_TYPE;
      const ideHeaders = isIde && authToken !== undefined ? { [ideTokenHeader]: authToken } : {};
      return openWebSocketTransport(
        {
          clock,
          ...shared,
          network: {
            ...shared.network,
            ...(proxy !== undefined && { proxy }),
            ...(ca !== undefined && { ca }),
            ...(clientCertificate !== undefined && { clientCertificate }),
            ...(connectTimeout !== undefined && {
              timeouts: { ...shared.network?.timeouts, connectMs: connectTimeout },
            }),
          },
          url,
          allowInsecure,
          headers: { ...headers, ...ideHeaders },
          apiKey,
          auth: isIde ? undefined : auth,
          server,
          logger,
          signal,
        },
        isIde ? { facts: { ideName }, hasCredentials: true } : { facts: {} },
      );
    },
  };
}
