import type { AuthPlugin, ServerConfig } from '@mcp-fittings/client-core';
import { httpEntryFields, toHttpClientOptions } from '@mcp-fittings/toolbox/connect';
import { entrySchema, readEntry } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { TokenProviderOptions } from './options.js';
import { digestOf } from './provider/provider-context.js';

/** Members that decide where a credential is sent. Others, such as timeouts, can change without a new sign-in. */
const MEMBERS = ['url', 'proxy', 'ca', 'clientCertificate', 'allowAddresses', 'authProviderType'];
const OAUTH_MEMBERS = [
  'clientId',
  'issuer',
  'authorizationUrl',
  'tokenUrl',
  'authServerMetadataUrl',
  'allowedEndpointOrigins',
  'grant',
  'xaa',
];

/**
 * Returns the value for `TokenProviderOptions.identity`, which stored credentials belong to: one entry of one
 * configuration and one account, as long as it sends credentials to the same place. An entry of a project does not get the credentials of
 * the person's own entry, even if both have the same URL.
 */
export function credentialIdentity({
  name,
  config,
  identity = name,
}: Parameters<AuthPlugin['create']>[0]): string {
  const oauth = isRecord(config['oauth']) ? config['oauth'] : {};
  return digestOf([
    identity,
    name,
    ...MEMBERS.map((member) => config[member] ?? null),
    ...OAUTH_MEMBERS.map((member) => oauth[member] ?? null),
    ...(oauth['account'] === undefined ? [] : [oauth['account']]),
  ]);
}

/**
 * Returns whether an entry has credentials of its own (`apiKey`, an `Authorization` header), so that no sign-in is needed.
 */
export function hasStaticCredentials(config: ServerConfig): boolean {
  const { headers } = config;
  if (config['apiKey'] !== undefined) return true;
  return isRecord(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

const { proxy, ca, clientCertificate, allowAddresses, connectTimeout, url } = httpEntryFields();
/** Without `headers`, which are for the MCP server only. */
const ENTRY = entrySchema({ url, proxy, ca, clientCertificate, allowAddresses, connectTimeout });

/**
 * Returns the network options of a sign-in: those of the entry, else those of the host. A network that the host has created
 * is used unchanged. Throws `CONFIG_INVALID`.
 */
export function networkFor(
  config: ServerConfig,
  server: string,
  common: TokenProviderOptions['network'],
): TokenProviderOptions['network'] {
  if (common !== undefined && 'fetch' in common) return common;
  const own = toHttpClientOptions(readEntry(ENTRY, config, { server }), { server });
  return {
    ...common,
    proxy: own.proxy ?? common?.proxy,
    ca: own.ca ?? common?.ca,
    clientCertificate: own.clientCertificate ?? common?.clientCertificate,
    allowAddresses: own.allowAddresses ?? common?.allowAddresses,
    timeouts: { ...common?.timeouts, connectMs: own.timeouts?.connectMs ?? common?.timeouts?.connectMs },
  };
}
