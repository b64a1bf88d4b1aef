import {
  described,
  listOf,
  text,
  type EntryOf,
  type TransportDeps,
} from '@mcp-fittings/client-core/transport';
import { toClientCertificate, remoteEntryFields } from '@mcp-fittings/remote-policy';
import type { HttpClientOptions } from './options.js';

/** Members of a configuration entry that say how its server is reached: the same for every remote transport. */
export const httpEntryFields = {
  ...remoteEntryFields,
  allowAddresses: described('Private addresses, ranges or hosts that sign-in may lead to', listOf(text())),
} as const;

export type HttpEntryFields = EntryOf<typeof httpEntryFields>;

/** What an entry says about the network. Throws `CONFIG_INVALID` when its client certificate is incomplete. */
export function toHttpClientOptions(
  entry: HttpEntryFields,
  context: Pick<TransportDeps, 'server' | 'clock' | 'logger'>,
): HttpClientOptions {
  const { url, headers, proxy, ca, allowAddresses, connectTimeout } = entry;
  const { server, clock, logger } = context;
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
