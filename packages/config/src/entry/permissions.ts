import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';

/** What happens with a call or a read that no list names. */
export type Permission = 'allow' | 'ask' | 'deny';

/**
 * What an entry decides in advance about its server, as `createToolPolicy` of `@mcp-fittings/tools` takes it. In names of tools
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
export function permissionsOf(config: {
  readonly servers: Readonly<Record<string, ServerConfig>>;
}): Readonly<Record<string, ServerPermissions>> {
  const permissions: Record<string, ServerPermissions> = {};
  Object.setPrototypeOf(permissions, null);
  for (const [name, entry] of Object.entries(config.servers)) permissions[name] = permissionsIn(entry);
  return permissions;
}

/** The permissions of one entry. A field of another form than the schema's grants nothing and denies nothing. */
export function permissionsIn(entry: unknown): ServerPermissions {
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
