import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';
import { entrySchema, readEntry } from '@mcp-fittings/client-core/transport';
import { networkFields, networkOptionsOf } from '@mcp-fittings/http-client';
import type { TokenProviderOptions } from './provider/options.js';
import { digestOf } from './provider/provider-deps.js';

/** An entry of a configuration, as a plugin gets it. */
export interface IdentifiedEntry {
  readonly name: string;
  readonly config: ServerConfig;
  /** Where the entry comes from, see `AuthPlugin.create`. Default: its name. */
  readonly identity?: string | undefined;
}

/** Members that decide whom a credential reaches. Others, such as time-outs, can change without a new sign-in. */
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
 * Whose credentials these are: those of one entry, from where it was configured, as long as it says the same about where
 * they go. A project's entry is given nothing that was obtained for the person's own entry with the same URL.
 */
export function credentialIdentity({ name, config, identity = name }: IdentifiedEntry): string {
  const oauth = isRecord(config['oauth']) ? config['oauth'] : {};
  return digestOf([
    identity,
    name,
    ...MEMBERS.map((member) => config[member] ?? null),
    ...OAUTH_MEMBERS.map((member) => oauth[member] ?? null),
  ]);
}

/** The entry says itself what is sent to its server, so there is nothing to sign in for. */
export function hasStaticCredentials(config: ServerConfig): boolean {
  const { headers } = config;
  if (config['apiKey'] !== undefined) return true;
  return isRecord(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

const { proxy, ca, clientCertificate, allowAddresses, connectTimeout, url } = networkFields;
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
  const said = networkOptionsOf(readEntry(ENTRY, config, { server }), { server });
  return {
    ...common,
    proxy: said.proxy ?? common?.proxy,
    ca: said.ca ?? common?.ca,
    clientCertificate: said.clientCertificate ?? common?.clientCertificate,
    allowAddresses: said.allowAddresses ?? common?.allowAddresses,
    timeouts: { ...common?.timeouts, connectMs: said.timeouts?.connectMs ?? common?.timeouts?.connectMs },
  };
}
