import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';

/** What happens with a call or a read that no list names. */
export type Permission = 'allow' | 'ask' | 'deny';

/**
 * What an entry decides in advance about its server, as `createPolicy` of `@mcp-fittings/tools` takes it. In names of tools
 * and in URIs `*` stands for any text.
 */
export interface ServerPermissions {
  /** Tools that run without a question. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that never run, whatever else is said. */
  readonly deniedTools?: readonly string[] | undefined;
  /** URIs of resources that are read without a question. */
  readonly allowedResources?: readonly string[] | undefined;
  /** For resources that are not listed, and for tools that only read. */
  readonly readPermission?: Permission | undefined;
  /** For all other tools that are not listed. */
  readonly writePermission?: Permission | undefined;
  /** No questions about this server, as long as the folder is trusted too. */
  readonly trust?: boolean | undefined;
}

/** An entry that was loaded: ready for a host, and for a policy of tools. */
export interface LoadedServer extends ServerConfig, ServerPermissions {
  readonly [field: string]: unknown;
}

/** By name, what the loaded entries decide in advance. Grants of project files are not in it. Has no prototype. */
export function serverPermissions(config: {
  readonly servers: Readonly<Record<string, ServerConfig>>;
}): Readonly<Record<string, ServerPermissions>> {
  const permissions: Record<string, ServerPermissions> = {};
  Object.setPrototypeOf(permissions, null);
  for (const [name, entry] of Object.entries(config.servers)) permissions[name] = entryPermissions(entry);
  return permissions;
}

/** The permissions of one entry. A field of another form than the schema's grants nothing and denies nothing. */
export function entryPermissions(entry: unknown): ServerPermissions {
  const { allowedTools, deniedTools, allowedResources, readPermission, writePermission, trust } = isRecord(
    entry,
  )
    ? entry
    : {};
  return {
    ...(isTexts(allowedTools) && { allowedTools }),
    ...(isTexts(deniedTools) && { deniedTools }),
    ...(isTexts(allowedResources) && { allowedResources }),
    ...(isPermission(readPermission) && { readPermission }),
    ...(isPermission(writePermission) && { writePermission }),
    ...(typeof trust === 'boolean' && { trust }),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isPermission(value: unknown): value is Permission {
  return value === 'allow' || value === 'ask' || value === 'deny';
}

/** What a settings file says about trust at its top; in a project file it means nothing. */
export const FILE_TRUST_KEYS: ReadonlySet<string> = new Set([
  'enableAllProjectMcpServers',
  'enabledMcpjsonServers',
  'disabledMcpjsonServers',
  'approvedMcprcServers',
  'rejectedMcprcServers',
  'allowedMcpServers',
  'deniedMcpServers',
  'allowManagedMcpServersOnly',
  'trusted',
  'trustedFolders',
  'hasTrustDialogAccepted',
]);

const GRANTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  trust: (value) => value !== false,
  trusted: (value) => value !== false,
  approved: (value) => value !== false,
  alwaysAllow: () => true,
  autoApprove: () => true,
  allowedTools: () => true,
  allowedResources: () => true,
  readPermission: (value) => value === 'allow',
  writePermission: (value) => value === 'allow',
};

/** An entry without the fields by which it grants itself trust, and the names of those that were taken out. */
export function removeGrants(config: ServerConfig): {
  readonly config: ServerConfig;
  readonly removed: readonly string[];
} {
  const isGrant = ([field, value]: [string, unknown]): boolean =>
    Object.hasOwn(GRANTS, field) && GRANTS[field]?.(value) === true;
  const members = Object.entries(config);
  return {
    config: Object.fromEntries(members.filter((member) => !isGrant(member))),
    removed: members.filter(isGrant).map(([field]) => field),
  };
}

/** Fields that are for the host alone: they decide neither which server an entry leads to nor with which account. */
export const HOST_FIELDS: readonly string[] = [
  'description',
  'disabled',
  'timeout',
  'healthCheck',
  'reconnect',
  'trust',
  'allowedTools',
  'deniedTools',
  'allowedResources',
  'readPermission',
  'writePermission',
];
