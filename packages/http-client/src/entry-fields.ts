import {
  described,
  listOf,
  text,
  type EntryOf,
  type TransportDeps,
} from '@mcp-fittings/client-core/transport';
import { toClientCertificate, remoteEntryFields } from '@mcp-fittings/remote-policy';
import type { HttpClientOptions } from './options.js';

/** Fields of a configuration entry that say how its server is reached, for `entrySchema` of `client-core/transport`. */
export const httpEntryFields = {
  ...remoteEntryFields,
  allowAddresses: described(
    'Private IP addresses, ranges or host names that sign-in may connect to',
    listOf(text()),
  ),
} as const;

/** Values of {@link httpEntryFields} in a configuration entry. */
export type HttpEntryFields = EntryOf<typeof httpEntryFields>;

/**
 * Converts a configuration entry to the options of its HTTP client. Throws `CONFIG_INVALID` if the client certificate is incomplete.
 *
 * @param deps Name of the server, clock and logger, as a transport plugin gets them from the host.
 */
export function toHttpClientOptions(
  entry: HttpEntryFields,
  deps: Pick<TransportDeps, 'server' | 'clock' | 'logger'>,
): HttpClientOptions {
  const { url, headers, proxy, ca, allowAddresses, connectTimeout } = entry;
  const { server, clock, logger } = deps;
  return {
    url,
    headers,
    proxy,
    ca,
    clientCertificate: toClientCertificate(entry.clientCertificate, server),
    allowAddresses,
    timeouts: { connectMs: connectTimeout },
    server,
    clock,
    logger,
  };
}
