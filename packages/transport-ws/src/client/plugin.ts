import type { TransportPlugin } from '@mcp-fittings/client-core';
import {
  remoteEntryFields,
  type RemoteEntryFields,
  toClientCertificate,
} from '@mcp-fittings/toolbox/connect';
import { described, entrySchema, flag, required, text } from '@mcp-fittings/toolbox/entries';
import { openWebSocketTransport } from './client-transport.js';
import type { WebSocketTransportOptions } from './options.js';

const IDE_TYPE = 'ws-ide';

const FIELDS = {
  type: text(),
  transportType: text(),
  ...remoteEntryFields(),
  url: required(
    described('URL of the server: wss: or ws:, or unix: or pipe: for a socket', text({ minLength: 1 })),
  ),
  allowInsecure: described('Allow an unencrypted connection (ws:) to another machine', flag()),
  apiKey: described('Token to send as `Authorization: Bearer …`', text({ minLength: 1 })),
  ideName: described(`Name of the IDE, for ${IDE_TYPE}`, text()),
  authToken: described(`Token that the IDE issued for its clients, for ${IDE_TYPE}`, text({ minLength: 1 })),
};

/** A configuration entry of type `ws`: `remoteEntryFields` of `toolbox/connect`, an API key, and the fields of `ws-ide`. */
export interface WebSocketEntry extends RemoteEntryFields {
  /** Type of the entry: `ws`, `websocket`, or `ws-ide` for the server of an IDE. */
  readonly type?: string | undefined;
  /** Another spelling of `type`, which some configuration files use. */
  readonly transportType?: string | undefined;
  /** If true, an unencrypted connection (`ws:`) to another machine is allowed. Default `false`. */
  readonly allowInsecure?: boolean | undefined;
  /** Token to send as `Authorization: Bearer …`. Default: none. */
  readonly apiKey?: string | undefined;
  /** Name of the IDE, for `ws-ide`; `describe()` shows it. */
  readonly ideName?: string | undefined;
  /** Token that the IDE issued for its clients, for `ws-ide`. */
  readonly authToken?: string | undefined;
}

/**
 * Creates the plugin for entries of type `ws`, also spelled `websocket`. An entry of type `ws-ide` is the server of an IDE, whose
 * requests are signed with its `authToken` and never with the host's sign-in. The options apply to every server of the type.
 *
 * @example
 * ```ts
 * const host = createHost({ name, version, transports: [ws()] });
 * ```
 */
export function ws(
  options: Omit<
    WebSocketTransportOptions,
    'url' | 'allowInsecure' | 'headers' | 'apiKey' | 'auth' | 'server' | 'logger' | 'signal'
  > & {
    /** Header in which an IDE expects the `authToken` of its entry (type `ws-ide`). Default `X-Claude-Code-Ide-Authorization`. */
    readonly ideTokenHeader?: string | undefined;
  } = {},
): TransportPlugin<WebSocketEntry> {
  const { ideTokenHeader = 'X-Claude-Code-Ide-Authorization', ...shared } = options;
  return {
    specVersion: 1,
    type: 'ws',
    aliases: ['websocket', IDE_TYPE],
    schema: entrySchema(FIELDS),
    create(entry, { server, auth, logger, clock, signal }) {
      const { url, allowInsecure, headers, apiKey, ideName, authToken, proxy, ca, connectTimeout } = entry;
      const clientCertificate = toClientCertificate(entry.clientCertificate, server);
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
        isIde ? { description: { ideName }, hasCredentials: true } : { description: {} },
      );
    },
  };
}
