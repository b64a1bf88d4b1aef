import {
  described,
  listOf,
  text,
  type EntryOf,
  type TransportDeps,
} from '@mcp-fittings/client-core/transport';
import { clientCertificateOf, remoteFields } from '@mcp-fittings/remote-policy';
import type { NetworkOptions } from './options.js';

/** Members of a configuration entry that say how its server is reached: the same for every remote transport. */
export const networkFields = {
  ...remoteFields,
  allowAddresses: described('Private addresses, ranges or hosts that sign-in may lead to', listOf(text())),
} as const;

export type NetworkEntry = EntryOf<typeof networkFields>;

/** What an entry says about the network. Throws `CONFIG_INVALID` when its client certificate is incomplete. */
export function networkOptionsOf(
  entry: NetworkEntry,
  context: Pick<TransportDeps, 'server' | 'clock' | 'logger'>,
): NetworkOptions {
  const { url, headers, proxy, ca, allowAddresses, connectTimeout } = entry;
  const { server, clock, logger } = context;
  return {
    url,
    headers,
    proxy,
    ca,
    clientCertificate: clientCertificateOf(entry.clientCertificate, server),
    allowAddresses,
    timeouts: { connectMs: connectTimeout },
    server,
    clock,
    logger,
  };
}
