import type { ServerConfig } from '@mcp-fittings/client-core';

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
export function withoutGrants(config: ServerConfig): {
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
