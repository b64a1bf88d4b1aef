/**
 * Decisions of the user in advance about the tools and resources of one server. An entry of a configuration file has these members. Names
 * are those of the server; `*` matches any text.
 */
export interface ToolPermissions {
  /** Tools that run without a question. If this list is given, every other tool asks. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that never run, whatever other permissions say. Not case-sensitive. */
  readonly deniedTools?: readonly string[] | undefined;
  /** The only tools that can run. Every other tool is denied, whatever other permissions say. Default: all tools. */
  readonly enabledTools?: readonly string[] | undefined;
  /** URIs of resources that are read without a question. */
  readonly allowedResources?: readonly string[] | undefined;
  /**
   * For resources, and for tools that only read. `deny` overrides `allowedTools` and `allowedResources`; `allow` and `ask` apply
   * to tools and resources that are not listed.
   */
  readonly readPermission?: ToolPermission | undefined;
  /**
   * For all other tools. `deny` overrides a pattern in `allowedTools`, but not the exact name of a tool in it; `allow` and `ask`
   * apply to tools that are not listed.
   */
  readonly writePermission?: ToolPermission | undefined;
  /** If true, the tools of this server run without a question as long as the folder is trusted too. Default false. */
  readonly trust?: boolean | undefined;
}

/** Allows a tool to run without a question, after a question, or not at all. */
export type ToolPermission = 'allow' | 'ask' | 'deny';

/** A decision with the reason for it. */
export interface ToolPolicyVerdict {
  /** The permission for the tool. `pass-through`: no rule applies, so that `ToolsOptions.defaultPermission` decides. */
  readonly decision: ToolPermission | 'pass-through';
  /**
   * The rule that decided. A stable identifier for programs. `denied-tool`, `disabled-tool`, `allowed-tool`, `not-listed`,
   * `allowed-resource`: a list of {@link ToolPermissions}. `read-permission`, `write-permission`, `trusted-server`: its other
   * members. `approved-tool`, `approved-server`: the user approved it. `changed-tool`, `added-tool`: it was changed or added since.
   * `no-rule`: none of these applies.
   */
  readonly rule:
    | 'denied-tool'
    | 'disabled-tool'
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
  /** The reason, as one sentence for the user. Names of the server in it are escaped. */
  readonly reason: string;
}
