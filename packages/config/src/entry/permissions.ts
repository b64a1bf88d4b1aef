import type { ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isTexts } from '../jsonc/json-value.js';
import { isRestriction, meaningOf } from '../words/foreign-words.js';

/**
 * Permissions of an entry in advance: the fields that `createToolPolicy` of `@mcp-fittings/tools` reads. In names of tools and in URIs, `*`
 * matches any text.
 */
export interface ServerPermissions {
  /** Tools that run without asking the user. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that never run. They take precedence over every other field. */
  readonly deniedTools?: readonly string[] | undefined;
  /** The only tools that can run: every other one is denied. Default: all tools. */
  readonly enabledTools?: readonly string[] | undefined;
  /** URIs of resources that are read without asking the user. */
  readonly allowedResources?: readonly string[] | undefined;
  /**
   * Applies to resources and to tools that only read, if they are not listed: they run, the user is asked, or they are
   * refused. `deny` applies to listed tools too.
   */
  readonly readPermission?: 'allow' | 'ask' | 'deny' | undefined;
  /** Applies to all other tools that are not listed; `deny` applies to those too that only a pattern covers. */
  readonly writePermission?: 'allow' | 'ask' | 'deny' | undefined;
  /** True: the user is not asked about this server if the folder is trusted too. */
  readonly trust?: boolean | undefined;
}

/** A server of {@link LoadedConfig.servers}, ready for `host.connect()` and for `createToolPolicy` of `@mcp-fittings/tools`. */
export interface LoadedServer extends ServerConfig, ServerPermissions {
  /** Fields of the transport, such as `command` or `url`, validated by its schema if the plugin was given. */
  readonly [field: string]: unknown;
}

/**
 * Returns the permissions of each server by name. Grants of project files are not included unless
 * {@link LoadConfigOptions.folderIsTrusted} was set. The object has no prototype.
 *
 * @example
 * ```ts
 * const config = await loadConfig({ layout: layouts.claude });
 * const policy = createToolPolicy({ servers: serverPermissions(config) });
 * ```
 */
export function serverPermissions(config: {
  readonly servers: Readonly<Record<string, ServerConfig>>;
}): Readonly<Record<string, ServerPermissions>> {
  const permissions: Record<string, ServerPermissions> = {};
  Object.setPrototypeOf(permissions, null);
  for (const [name, entry] of Object.entries(config.servers)) permissions[name] = entryPermissions(entry);
  return permissions;
}

/** The permissions of one entry. A field whose type is wrong grants nothing and denies nothing. */
export function entryPermissions(entry: unknown): ServerPermissions {
  const { allowedTools, deniedTools, enabledTools, allowedResources, ...rest } = isRecord(entry) ? entry : {};
  const { readPermission, writePermission, trust } = rest;
  return {
    ...(isTexts(allowedTools) && { allowedTools }),
    ...(isTexts(deniedTools) && { deniedTools }),
    ...(isTexts(enabledTools) && { enabledTools }),
    ...(isTexts(allowedResources) && { allowedResources }),
    ...(isPermission(readPermission) && { readPermission }),
    ...(isPermission(writePermission) && { writePermission }),
    ...(typeof trust === 'boolean' && { trust }),
  };
}

function isPermission(value: unknown): value is NonNullable<ServerPermissions['readPermission']> {
  return value === 'allow' || value === 'ask' || value === 'deny';
}

/** Keys at the top level of a settings file that grant trust. They are ignored in a file of the project. */
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
  allowedTools: () => true,
  allowedResources: () => true,
  readPermission: (value) => value === 'allow',
  writePermission: (value) => value === 'allow',
};

/** Removes the fields by which an entry grants itself trust, also in the words of other programs, and returns their names. */
export function removeGrants(config: ServerConfig): {
  readonly config: ServerConfig;
  readonly removed: readonly string[];
} {
  const isGrant = ([field, value]: [string, unknown]): boolean =>
    Object.hasOwn(GRANTS, field)
      ? GRANTS[field]?.(value) === true
      : meaningOf(field)?.kind === 'grant' && value !== false;
  const members = Object.entries(config);
  return {
    config: Object.fromEntries(members.filter((member) => !isGrant(member))),
    removed: members.filter(isGrant).map(([field]) => field),
  };
}

/** Fields that only the host reads: they affect neither where an entry leads nor which account it uses. */
export const HOST_FIELDS: readonly string[] = [
  'description',
  'disabled',
  'lazy',
  'idleMs',
  'delivery',
  'timeout',
  'connectTimeout',
  'discoveryTimeout',
  'healthCheck',
  'reconnect',
  'trust',
  'allowedTools',
  'deniedTools',
  'enabledTools',
  'allowedResources',
  'readPermission',
  'writePermission',
];

/** Returns true if only the host reads a field, in our words or in those of another program. */
export function isHostField(field: string): boolean {
  const meaning = meaningOf(field);
  return HOST_FIELDS.includes(field) || (meaning !== undefined && isRestriction(meaning));
}
