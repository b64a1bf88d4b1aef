import type { ServerConfig } from '@mcp-fittings/client-core';
import { entrySchema, readEntry } from '@mcp-fittings/client-core/transport';
import { httpEntryFields, toHttpClientOptions } from '@mcp-fittings/http-client';
import type { TokenProviderOptions } from './provider/context.js';

const { proxy, ca, clientCertificate, allowAddresses, connectTimeout, url } = httpEntryFields;
/** Not `headers`: they are for the server alone. */
const ENTRY = entrySchema({ url, proxy, ca, clientCertificate, allowAddresses, connectTimeout });

/**
 * How sign-in to the server of an entry reaches the network: as the entry says for the server itself, else as the host says
 * for all. A network that the host has made is used as it is. Throws `CONFIG_INVALID`.
 */
export function networkFor(
  config: ServerConfig,
  server: string,
  common: TokenProviderOptions['network'],
): TokenProviderOptions['network'] {
  if (common !== undefined && 'fetch' in common) return common;
  const said = toHttpClientOptions(readEntry(ENTRY, config, { server }), { server });
  return {
    ...common,
    proxy: said.proxy ?? common?.proxy,
    ca: said.ca ?? common?.ca,
    clientCertificate: said.clientCertificate ?? common?.clientCertificate,
    allowAddresses: said.allowAddresses ?? common?.allowAddresses,
    timeouts: { ...common?.timeouts, connectMs: said.timeouts?.connectMs ?? common?.timeouts?.connectMs },
  };
}
