import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { escapeText, matchesWildcard } from '@mcp-fittings/toolbox/text';
import type { CatalogTool } from '@mcp-fittings/host';
import { createToolApprovals, type ToolApprovals, type ApprovedTool } from './tool-approvals.js';
import type { ToolPermission, ToolPermissions, ToolPolicyVerdict } from './tool-permissions.js';

/**
 * Answer of the user to a question about a tool. `once`: this call may run. `always-tool`: the tool may run as it is described now.
 * `always-server`: so may all tools that the server has now. `cancel`: the call fails with `POLICY_DENIED`.
 */
export type ConfirmOutcome = 'once' | 'always-tool' | 'always-server' | 'cancel';

/** Options of {@link createToolPolicy}. */
export interface ToolPolicyOptions {
  /**
   * Permissions by the name of the server: {@link ToolPermissions}, or whole entries such as `loadConfig(…).servers`. Default:
   * none. They are read for each verdict. Malformed permissions throw `CONFIG_INVALID`.
   */
  readonly servers?: Readonly<Record<string, ToolPermissions | ServerConfig>> | undefined;
  /** Tells whether the folder in which the host works is trusted. Default false: `trust: true` of a server has no effect. */
  readonly folderIsTrusted?: boolean | (() => boolean) | undefined;
  /** Approvals of the user so far, from {@link createToolApprovals}. Default: none. */
  readonly approvals?: ToolApprovals | undefined;
  /**
   * Returns the identity of a server, to which an approval belongs. Default: `ServerSnapshot.identity` of the host, a digest of
   * the whole entry, so that another server with the same name asks again. If neither is known, an approval lasts as long as
   * this policy and is not in `approvals`.
   */
  readonly identify?: ((server: string) => string) | undefined;
}

/** Decides which tools run without a question, and remembers the answers of the user. */
export interface ToolPolicy {
  /** The answers `always-tool` and `always-server`. Save `approvals.toJSON()` after a change. */
  readonly approvals: ToolApprovals;
  /** Returns whether a tool may run. The order of the rules is that of {@link createToolPolicy}. */
  forTool(tool: PolicyTool): ToolPolicyVerdict;
  /** Returns whether a resource may be read: `allowedResources`, `readPermission` and `trust` decide. */
  forResource(resource: { readonly server: string; readonly uri: string }): ToolPolicyVerdict;
  /**
   * Records an answer of the user. Returns whether the call may run.
   * @param serverTools All tools that the server has now, for `always-server`. Default: this tool only.
   */
  answer(tool: PolicyTool, outcome: ConfirmOutcome, serverTools?: readonly PolicyTool[]): boolean;
}

/** The description of a tool that a policy decides by. Every `CatalogTool` of a host is one. */
export interface PolicyTool extends Pick<CatalogTool, 'server' | 'name' | 'annotations' | 'digest'> {
  /** `ServerSnapshot.identity` of its server. Without it, an approval lasts as long as the policy. */
  readonly identity?: string | undefined;
  /** The person who approves it, in a host that serves several. Approvals are kept for each. Default: one person. */
  readonly principal?: string | undefined;
}

/**
 * Creates a policy. The first rule that applies decides: `deniedTools`; a tool that is not in a given `enabledTools`; a permission
 * that is `deny`; `allowedTools`; an approval of the user; a trusted server in a trusted folder; a tool that was changed or added since its approval; a tool that is
 * not in a given `allowedTools`; `readPermission` or `writePermission`. Without any, the decision is `pass-through`.
 *
 * A `writePermission` that is `deny` does not apply to a tool whose exact name is in `allowedTools` of the same entry, unless its
 * server says that it is destructive (`destructiveHint: true`), or it has changed since the user approved it.
 *
 * That a tool only reads (`readOnlyHint`) counts for trusted servers. For others, the stricter permission applies.
 *
 * @throws {FittingsError} `CONFIG_INVALID` if permissions in `servers` are malformed.
 * @example
 * ```ts
 * const policy = createToolPolicy({
 *   servers: { files: { allowedTools: ['read_*'], deniedTools: ['write_file'] } },
 *   approvals: createToolApprovals(saved),
 * });
 * const tools = createTools(host, { policy, confirm });
 * ```
 */
export function createToolPolicy(options: ToolPolicyOptions = {}): ToolPolicy {
  const { servers = {}, folderIsTrusted = false, approvals = createToolApprovals(), identify } = options;
  // Reports a mistake now and not at the first call.
  for (const server of Object.keys(servers)) permissionsOf(server, servers);
  const isTrusted = (permissions: ToolPermissions): boolean =>
    permissions.trust === true &&
    (typeof folderIsTrusted === 'function' ? folderIsTrusted() : folderIsTrusted);
  // For servers without an identity: in the next run, the same name may belong to another server.
  const unidentified = createToolApprovals();
  const identityOf = ({ server, identity }: PolicyTool): string | undefined => identify?.(server) ?? identity;
  const approvalsFor = (tool: PolicyTool): ToolApprovals =>
    identityOf(tool) === undefined ? unidentified : approvals;
  const ownerOf = (tool: PolicyTool): string => {
    const server = identityOf(tool) ?? tool.server;
    return tool.principal === undefined ? server : JSON.stringify([server, tool.principal]);
  };
  const approved = (tool: PolicyTool): ApprovedTool => ({
    server: ownerOf(tool),
    tool: tool.name,
    digest: tool.digest,
  });

  const statusOf = (tool: PolicyTool): Status => approvalsFor(tool).forTool(approved(tool));

  return {
    approvals,
    forTool(tool) {
      const server = labelOf(tool.server);
      const permissions = permissionsOf(tool.server, servers);
      const denied = permissions.deniedTools?.map((name) => name.toLowerCase());
      if (matchesAny(tool.name.toLowerCase(), denied)) {
        return verdict('deny', 'denied-tool', `The tool is on the list of denied tools of ${server}.`);
      }
      if (permissions.enabledTools !== undefined && !matchesAny(tool.name, permissions.enabledTools)) {
        return verdict('deny', 'disabled-tool', `The tool is not on the list of enabled tools of ${server}.`);
      }
      const trusted = isTrusted(permissions);
      const general = generalVerdict(tool, permissions, trusted, server);
      if (general.decision === 'deny') {
        const isExempt =
          general.rule === 'write-permission' && isNamed(tool, permissions) && !isNew(statusOf(tool));
        if (!isExempt) return general;
      }
      if (matchesAny(tool.name, permissions.allowedTools)) {
        return verdict('allow', 'allowed-tool', `The tool is on the list of allowed tools of ${server}.`);
      }
      const status = statusOf(tool);
      if (status === 'server') {
        return verdict('allow', 'approved-server', `You approved all tools of ${server}.`);
      }
      if (status === 'tool') {
        return verdict('allow', 'approved-tool', 'You approved this tool, and it has not changed since.');
      }
      if (trusted) {
        return verdict('allow', 'trusted-server', `The ${server} and the folder are trusted.`);
      }
      const listed =
        permissions.allowedTools === undefined
          ? general
          : verdict('ask', 'not-listed', `The tool is not on the list of allowed tools of ${server}.`);
      if (listed.decision === 'allow' || !isNew(status)) return listed;
      const name = `"${show(tool.name)}"`;
      return status === 'changed'
        ? verdict('ask', 'changed-tool', `The tool ${name} of ${server} has changed since you approved it.`)
        : verdict(
            'ask',
            'added-tool',
            `The tool ${name} was added to ${server} after you approved its tools.`,
          );
    },
    forResource({ server, uri }) {
      const where = labelOf(server);
      const permissions = permissionsOf(server, servers);
      const general = byPermission('read', permissions.readPermission, where);
      if (matchesAny(uri, permissions.allowedResources)) {
        return verdict(
          'allow',
          'allowed-resource',
          `The resource is on the list of allowed resources of ${where}.`,
        );
      }
      if (general.decision !== 'deny' && isTrusted(permissions)) {
        return verdict('allow', 'trusted-server', `The ${where} and the folder are trusted.`);
      }
      return general;
    },
    answer(tool, outcome, serverTools = [tool]) {
      switch (outcome) {
        case 'once':
          return true;
        case 'always-tool':
          approvalsFor(tool).addTool(approved(tool));
          return true;
        case 'always-server': {
          const { server } = approved(tool);
          const pinned = serverTools.filter((each) => each.server === tool.server).map(approved);
          approvalsFor(tool).addServer(server, pinned);
          return true;
        }
        case 'cancel':
        default:
          return false;
      }
    },
  };
}

type Status = ReturnType<ToolApprovals['forTool']>;

/** Returns whether a tool was changed or added since the user approved it, or its server. */
const isNew = (status: Status): boolean => status === 'changed' || status === 'added';

type Check = readonly [fits: (value: unknown) => boolean, expected: string];
const NAMES: Check = [
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'an array of strings',
];
const PERMISSION: Check = [
  (value) => value === 'allow' || value === 'ask' || value === 'deny',
  '"allow", "ask" or "deny"',
];
const CHECKS = Object.entries<Check>({
  trust: [(value) => typeof value === 'boolean', 'true or false'],
  allowedTools: NAMES,
  deniedTools: NAMES,
  enabledTools: NAMES,
  allowedResources: NAMES,
  readPermission: PERMISSION,
  writePermission: PERMISSION,
} satisfies Record<keyof ToolPermissions, Check>);

/**
 * Returns the permissions of a server as they are now: what a program denies meanwhile holds at once. Throws `CONFIG_INVALID` for a
 * malformed permission: ignoring it could allow what it denies.
 */
function permissionsOf(server: string, servers: NonNullable<ToolPolicyOptions['servers']>): ToolPermissions {
  const entry = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (entry === undefined) return {};
  const malformed = (problem: string): FittingsError => {
    const text = `The permissions of the server ${JSON.stringify(server)} are invalid: ${problem}.`;
    return new FittingsError('CONFIG_INVALID', text, { server });
  };
  if (!isRecord(entry)) throw malformed('they must be an object');
  for (const [field, [fits, expected]] of CHECKS) {
    const value = entry[field];
    if (value !== undefined && !fits(value)) throw malformed(`"${field}" must be ${expected}`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member was checked
  return entry as ToolPermissions;
}

/** Names a server in a sentence for the user. */
const labelOf = (server: string): string => `server "${show(server)}"`;

/** Returns whether the list of allowed tools has the name itself, of a tool that is not said to be destructive. */
function isNamed({ name, annotations }: PolicyTool, { allowedTools }: ToolPermissions): boolean {
  const isListed = allowedTools?.includes(name) === true && !name.includes('*');
  return isListed && annotations?.destructiveHint !== true;
}

/**
 * Decides by `readPermission` or `writePermission`. Only for a trusted server does `readOnlyHint` count; for any other, the
 * stricter of both permissions applies.
 */
function generalVerdict(
  tool: PolicyTool,
  permissions: ToolPermissions,
  trusted: boolean,
  server: string,
): ToolPolicyVerdict {
  const write = byPermission('write', permissions.writePermission, server);
  if (tool.annotations?.readOnlyHint !== true) return write;
  const read = byPermission('read', permissions.readPermission, server);
  if (trusted || STRICTNESS[read.decision] >= STRICTNESS[write.decision]) return read;
  return {
    ...write,
    reason: `${write.reason} (The tool claims to be read-only, but the server is not trusted.)`,
  };
}

const STRICTNESS: Readonly<Record<ToolPolicyVerdict['decision'], number>> = {
  allow: 0,
  'pass-through': 1,
  ask: 2,
  deny: 3,
};

function byPermission(
  kind: 'read' | 'write',
  permission: ToolPermission | undefined,
  server: string,
): ToolPolicyVerdict {
  if (permission === undefined) {
    const activity = kind === 'read' ? 'reading from' : 'making changes through';
    return verdict('pass-through', 'no-rule', `There is no rule for ${activity} ${server}.`);
  }
  const activity = kind === 'read' ? 'Reading from' : 'Making changes through';
  return verdict(permission, `${kind}-permission`, `${activity} ${server} ${CONSEQUENCE[permission]}.`);
}

const CONSEQUENCE: Readonly<Record<ToolPermission, string>> = {
  allow: 'is allowed',
  ask: 'must be confirmed',
  deny: 'is denied',
};

const verdict = (
  decision: ToolPolicyVerdict['decision'],
  rule: ToolPolicyVerdict['rule'],
  reason: string,
): ToolPolicyVerdict => ({
  decision,
  rule,
  reason,
});
const matchesAny = (name: string, patterns: readonly string[] | undefined): boolean =>
  patterns?.some((pattern) => matchesWildcard(name, pattern)) === true;

const show = (text: string): string => escapeText(text, { maxLength: 80 });
