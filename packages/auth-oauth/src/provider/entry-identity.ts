import { createHash } from 'node:crypto';
import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';

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
export function entryIdentity({ name, config, identity = name }: IdentifiedEntry): string {
  const oauth = isRecord(config['oauth']) ? config['oauth'] : {};
  return digestOf([
    identity,
    name,
    ...MEMBERS.map((member) => config[member] ?? null),
    ...OAUTH_MEMBERS.map((member) => oauth[member] ?? null),
  ]);
}

/** A short name for values, the same in every process. */
export function digestOf(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}
