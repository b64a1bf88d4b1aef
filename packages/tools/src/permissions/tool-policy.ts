import { escapeText, type ServerConfig } from '@mcp-fittings/client-core';
import { toolTraits } from '../tool-traits.js';
import type { CatalogueTool } from '@mcp-fittings/host';
import {
  createToolApprovals,
  type ToolApprovalStatus,
  type ToolApprovals,
  type ApprovedTool,
} from './tool-approvals.js';
import { fitsAny } from './name-pattern.js';
import {
  permissionsIn,
  type ToolPolicyDecision,
  type ToolPermission,
  type ToolPolicyRule,
  type ToolPermissions,
  type ToolPolicyVerdict,
} from './tool-permissions.js';

/** How a person answered a question about a tool. */
export type ConfirmOutcome = 'once' | 'always-tool' | 'always-server' | 'cancel';

export interface ToolPolicyOptions {
  /**
   * By name of the server: permissions, or whole entries, as `loadConfig(…).servers` has them. Malformed permissions throw
   * `CONFIG_INVALID`.
   */
  readonly servers?: Readonly<Record<string, ToolPermissions | ServerConfig>> | undefined;
  /** Whether the folder that the host works in is trusted. Default false: `trust: true` of a server has no effect. */
  readonly folderIsTrusted?: boolean | (() => boolean) | undefined;
  /** Default: an empty list of its own. */
  readonly approvals?: ToolApprovals | undefined;
  /**
   * What an approval is given to. Default: the identity that the host gives to the server's entry
   * (`ServerSnapshot.identity`), so that another server of the same name is asked about again. Where neither is known,
   * an approval holds as long as this policy and is not kept.
   */
  readonly identify?: ((server: string) => string) | undefined;
}

/** Decides what may be done without asking, and remembers what persons answered. */
export interface ToolPolicy {
  /** What answers for good are kept in; save it when it has changed. */
  readonly approvals: ToolApprovals;
  forTool(tool: PolicyTool): ToolPolicyVerdict;
  forResource(resource: { readonly server: string; readonly uri: string }): ToolPolicyVerdict;
  /**
   * Takes an answer down. True when the call may go ahead. `always-server` allows `serverTools` (all that the server has
   * now) as they are described now; default: this tool only.
   */
  answer(tool: PolicyTool, outcome: ConfirmOutcome, serverTools?: readonly PolicyTool[]): boolean;
}

/** What a policy has to know of a tool. */
export interface PolicyTool extends Pick<CatalogueTool, 'server' | 'name' | 'annotations' | 'digest'> {
  /** `ServerSnapshot.identity` of its server. */
  readonly identity?: string | undefined;
}

/**
 * The rules, the first that applies decides: denied tool; a permission that says deny; allowed tool; approved by a person;
 * trusted server in a trusted folder; changed or added since the approval; not among the allowed tools; read or write
 * permission; none.
 */
export function createToolPolicy(options: ToolPolicyOptions = {}): ToolPolicy {
  const { servers = {}, folderIsTrusted = false, approvals = createToolApprovals(), identify } = options;
  // At once, so that a mistake does not wait for the first call.
  for (const [server, entry] of Object.entries(servers)) permissionsIn(server, entry);
  const permissionsOf = (server: string): ToolPermissions => {
    const entry = Object.hasOwn(servers, server) ? servers[server] : undefined;
    return entry === undefined ? {} : permissionsIn(server, entry);
  };
  const isTrusted = (permissions: ToolPermissions): boolean =>
    permissions.trust === true &&
    (typeof folderIsTrusted === 'function' ? folderIsTrusted() : folderIsTrusted);
  // A name says nothing about what stands behind it in the next run.
  const unidentified = createToolApprovals();
  const identityOf = ({ server, identity }: PolicyTool): string | undefined => identify?.(server) ?? identity;
  const listFor = (tool: PolicyTool): ToolApprovals =>
    identityOf(tool) === undefined ? unidentified : approvals;
  const approved = (tool: PolicyTool): ApprovedTool => ({
    server: identityOf(tool) ?? tool.server,
    tool: tool.name,
    digest: tool.digest,
  });

  return {
    approvals,
    forTool(tool) {
      const permissions = permissionsOf(tool.server);
      const server = `server "${show(tool.server)}"`;
      if (
        fitsAny(
          tool.name.toLowerCase(),
          permissions.deniedTools?.map((name) => name.toLowerCase()),
        )
      ) {
        return verdict('deny', 'denied-tool', `The tool is on the list of denied tools of ${server}.`);
      }
      const trusted = isTrusted(permissions);
      const general = generalVerdict(tool, permissions, trusted, server);
      if (general.decision === 'deny') return general;
      if (fitsAny(tool.name, permissions.allowedTools)) {
        return verdict('allow', 'allowed-tool', `The tool is on the list of allowed tools of ${server}.`);
      }
      const status = listFor(tool).forTool(approved(tool));
      if (status === 'server') {
        return verdict('allow', 'approved-server', `You approved all tools of ${server}.`);
      }
      if (status === 'tool') {
        return verdict('allow', 'approved-tool', 'You approved this tool, and it has not changed since.');
      }
      if (trusted) {
        return verdict('allow', 'trusted-server', `The ${server} is trusted, and so is the folder.`);
      }
      const listed = notListed(permissions, server) ?? general;
      return sinceApproval(status, tool, server, listed) ?? listed;
    },
    forResource({ server, uri }) {
      const permissions = permissionsOf(server);
      const where = `server "${show(server)}"`;
      const general = byPermission('read', permissions.readPermission, `Reading from ${where}`);
      if (fitsAny(uri, permissions.allowedResources)) {
        return verdict(
          'allow',
          'allowed-resource',
          `The resource is on the list of allowed ones of ${where}.`,
        );
      }
      if (general.decision !== 'deny' && isTrusted(permissions)) {
        return verdict('allow', 'trusted-server', `The ${where} is trusted, and so is the folder.`);
      }
      return general;
    },
    answer(tool, outcome, serverTools = [tool]) {
      switch (outcome) {
        case 'once':
          return true;
        case 'always-tool':
          listFor(tool).addTool(approved(tool));
          return true;
        case 'always-server': {
          const { server } = approved(tool);
          const pinned = serverTools.filter((each) => each.server === tool.server).map(approved);
          listFor(tool).addServer(server, pinned);
          return true;
        }
        case 'cancel':
        default:
          return false;
      }
    },
  };
}

/** A question about a tool that is not what a person approved, with what happened to it. */
function sinceApproval(
  status: ToolApprovalStatus,
  tool: PolicyTool,
  server: string,
  otherwise: ToolPolicyVerdict,
): ToolPolicyVerdict | undefined {
  if (otherwise.decision === 'allow') return undefined;
  const name = `"${show(tool.name)}"`;
  if (status === 'changed') {
    return verdict('ask', 'changed-tool', `The tool ${name} of ${server} has changed since you approved it.`);
  }
  if (status === 'added') {
    return verdict(
      'ask',
      'added-tool',
      `The tool ${name} was added to ${server} after you approved its tools.`,
    );
  }
  return undefined;
}

function notListed({ allowedTools }: ToolPermissions, server: string): ToolPolicyVerdict | undefined {
  if (allowedTools === undefined) return undefined;
  return verdict('ask', 'not-listed', `The tool is not on the list of allowed tools of ${server}.`);
}

/**
 * By read or write permission. That a tool only reads is its server's word: it counts for a trusted server, for any
 * other the stricter of both permissions does.
 */
function generalVerdict(
  tool: PolicyTool,
  permissions: ToolPermissions,
  trusted: boolean,
  server: string,
): ToolPolicyVerdict {
  const write = byPermission('write', permissions.writePermission, `Changing something through ${server}`);
  if (!toolTraits(tool.annotations).isReadOnly) return write;
  const read = byPermission('read', permissions.readPermission, `Reading from ${server}`);
  if (trusted || STRICTNESS[read.decision] >= STRICTNESS[write.decision]) return read;
  return {
    ...write,
    reason: `${write.reason} (That the tool only reads is the word of a server that is not trusted.)`,
  };
}

const STRICTNESS: Readonly<Record<ToolPolicyDecision, number>> = {
  allow: 0,
  'pass-through': 1,
  ask: 2,
  deny: 3,
};

function byPermission(
  kind: 'read' | 'write',
  permission: ToolPermission | undefined,
  what: string,
): ToolPolicyVerdict {
  if (permission === undefined) {
    return verdict('pass-through', 'no-rule', `${what}: there is no rule for it.`);
  }
  return verdict(permission, `${kind}-permission`, `${what} ${CONSEQUENCE[permission]}.`);
}

const CONSEQUENCE: Readonly<Record<ToolPermission, string>> = {
  allow: 'is allowed',
  ask: 'has to be confirmed',
  deny: 'is denied',
};

const verdict = (decision: ToolPolicyDecision, rule: ToolPolicyRule, reason: string): ToolPolicyVerdict => ({
  decision,
  rule,
  reason,
});
const show = (text: string): string => escapeText(text, { maxLength: 80 });
