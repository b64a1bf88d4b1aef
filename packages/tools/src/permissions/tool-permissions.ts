import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';

/** What a person decided in advance about one server. Names are those of the server; `*` stands for any text. */
export interface ToolPermissions {
  /** These tools run without a question. Once there is such a list, every other tool asks. */
  readonly allowedTools?: readonly string[] | undefined;
  /** These tools never run, whatever else is said. Upper and lower case are the same here. */
  readonly deniedTools?: readonly string[] | undefined;
  /** Resources with these URIs are read without a question. */
  readonly allowedResources?: readonly string[] | undefined;
  /** For resources that are not listed, and for tools that only read: `deny` goes before `allowedTools`. */
  readonly readPermission?: ToolPermission | undefined;
  /** For all other tools: `deny` goes before `allowedTools`, `allow` and `ask` are for tools that no list names. */
  readonly writePermission?: ToolPermission | undefined;
  /** No questions about this server, as long as the folder is trusted too. */
  readonly trust?: boolean | undefined;
}

export type ToolPermission = 'allow' | 'ask' | 'deny';

/** `pass-through`: no rule applies; the host decides by its own. */
export type ToolPolicyDecision = ToolPermission | 'pass-through';

/** A decision with its explanation. */
export interface ToolPolicyVerdict {
  readonly decision: ToolPolicyDecision;
  /** Which rule decided; stable, for programs. */
  readonly rule: ToolPolicyRule;
  /** Why, as one sentence for a person. */
  readonly reason: string;
}

export type ToolPolicyRule =
  | 'denied-tool'
  | 'allowed-tool'
  | 'not-listed'
  | 'changed-tool'
  | 'added-tool'
  | 'allowed-resource'
  | 'read-permission'
  | 'write-permission'
  | 'approved-server'
  | 'approved-tool'
  | 'trusted-server'
  | 'no-rule';

/**
 * What an entry of a configuration says about its tools. Throws `CONFIG_INVALID` for a permission that is malformed: to
 * ignore it could allow what it denies.
 */
export function permissionsIn(server: string, entry: ToolPermissions | ServerConfig): ToolPermissions {
  const { allowedTools, deniedTools, allowedResources, readPermission, writePermission, trust } = entry;
  const wrong = (field: string, wanted: string): FittingsError =>
    new FittingsError(
      'CONFIG_INVALID',
      `The permissions of the server ${JSON.stringify(server)} are not valid: "${field}" must be ${wanted}.`,
      { server },
    );
  const texts = (field: string, value: unknown): readonly string[] | undefined => {
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw wrong(field, 'a list of texts');
  };
  const permission = (field: string, value: unknown): ToolPermission | undefined => {
    if (value === undefined || value === 'allow' || value === 'ask' || value === 'deny') return value;
    throw wrong(field, '"allow", "ask" or "deny"');
  };
  if (trust !== undefined && typeof trust !== 'boolean') throw wrong('trust', 'true or false');
  return {
    allowedTools: texts('allowedTools', allowedTools),
    deniedTools: texts('deniedTools', deniedTools),
    allowedResources: texts('allowedResources', allowedResources),
    readPermission: permission('readPermission', readPermission),
    writePermission: permission('writePermission', writePermission),
    trust,
  };
}
