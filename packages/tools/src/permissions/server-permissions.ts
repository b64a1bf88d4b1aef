/** What a person decided in advance about one server. Names are those of the server; `*` stands for any text. */
export interface ServerPermissions {
  /** These tools run without a question. */
  readonly allowedTools?: readonly string[] | undefined;
  /** These tools never run, whatever else is said. Upper and lower case are the same here. */
  readonly deniedTools?: readonly string[] | undefined;
  /** Resources with these URIs are read without a question. */
  readonly allowedResources?: readonly string[] | undefined;
  /** For resources that are not listed, and for tools that only read. */
  readonly readPermission?: Permission | undefined;
  /** For all other tools that are not listed. */
  readonly writePermission?: Permission | undefined;
  /** No questions about this server, as long as the folder is trusted too. */
  readonly trust?: boolean | undefined;
}

export type Permission = 'allow' | 'ask' | 'deny';

/** `pass-through`: no rule applies; the host decides by its own. */
export type Decision = Permission | 'pass-through';

/** A decision with its explanation. */
export interface Verdict {
  readonly decision: Decision;
  /** Which rule decided; stable, for programs. */
  readonly rule: RuleName;
  /** Why, as one sentence for a person. */
  readonly reason: string;
}

export type RuleName =
  | 'denied-tool'
  | 'allowed-tool'
  | 'allowed-resource'
  | 'read-permission'
  | 'write-permission'
  | 'approved-server'
  | 'approved-tool'
  | 'trusted-server'
  | 'no-rule';
