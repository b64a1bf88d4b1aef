import type { ServerConfig } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/client-core/text';
import { traitsOf } from '../traits.js';
import type { CatalogueTool } from '@mcp-fittings/host';
import { createApprovals, type ApprovalStatus, type Approvals, type ApprovedTool } from './approvals.js';
import { fitsAny } from './name-pattern.js';
import {
  permissionsIn,
  type Decision,
  type Permission,
  type RuleName,
  type ServerPermissions,
  type Verdict,
} from './server-permissions.js';

/** How a person answered a question about a tool. */
export type ConfirmOutcome = 'once' | 'always-tool' | 'always-server' | 'cancel';

export interface PolicyOptions {
  /**
   * By name of the server: permissions, or whole entries, as `loadConfig(…).servers` has them. Malformed permissions throw
   * `CONFIG_INVALID`.
   */
  readonly servers?: Readonly<Record<string, ServerPermissions | ServerConfig>> | undefined;
  /** Whether the folder that the host works in is trusted. Default false: `trust: true` of a server has no effect. */
  readonly folderIsTrusted?: boolean | (() => boolean) | undefined;
  /** Default: an empty list of its own. */
  readonly approvals?: Approvals | undefined;
  /**
   * What an approval is given to. Default: the identity that the host gives to the server's entry
   * (`ServerSnapshot.identity`), so that another server of the same name is asked about again. Where neither is known,
   * an approval holds as long as this policy and is not kept.
   */
  readonly identify?: ((server: string) => string) | undefined;
}

/** Decides what may be done without asking, and remembers what persons answered. */
export interface Policy {
  /** What answers for good are kept in; save it when it has changed. */
  readonly approvals: Approvals;
  forTool(tool: PolicyTool): Verdict;
  forResource(resource: { readonly server: string; readonly uri: string }): Verdict;
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
export function createPolicy(options: PolicyOptions = {}): Policy {
  const { servers = {}, folderIsTrusted = false, approvals = createApprovals(), identify } = options;
  // At once, so that a mistake does not wait for the first call.
  for (const [server, entry] of Object.entries(servers)) permissionsIn(server, entry);
  const permissionsOf = (server: string): ServerPermissions => {
    const entry = Object.hasOwn(servers, server) ? servers[server] : undefined;
    return entry === undefined ? {} : permissionsIn(server, entry);
  };
  const isTrusted = (permissions: ServerPermissions): boolean =>
    permissions.trust === true &&
    (typeof folderIsTrusted === 'function' ? folderIsTrusted() : folderIsTrusted);
  // A name says nothing about what stands behind it in the next run.
  const unidentified = createApprovals();
  const identityOf = ({ server, identity }: PolicyTool): string | undefined => identify?.(server) ?? identity;
  const listFor = (tool: PolicyTool): Approvals =>
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
  status: ApprovalStatus,
  tool: PolicyTool,
  server: string,
  otherwise: Verdict,
): Verdict | undefined {
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

function notListed({ allowedTools }: ServerPermissions, server: string): Verdict | undefined {
  if (allowedTools === undefined) return undefined;
  return verdict('ask', 'not-listed', `The tool is not on the list of allowed tools of ${server}.`);
}

/**
 * By read or write permission. That a tool only reads is its server's word: it counts for a trusted server, for any
 * other the stricter of both permissions does.
 */
function generalVerdict(
  tool: PolicyTool,
  permissions: ServerPermissions,
  trusted: boolean,
  server: string,
): Verdict {
  const write = byPermission('write', permissions.writePermission, `Changing something through ${server}`);
  if (!traitsOf(tool.annotations).isReadOnly) return write;
  const read = byPermission('read', permissions.readPermission, `Reading from ${server}`);
  if (trusted || STRICTNESS[read.decision] >= STRICTNESS[write.decision]) return read;
  return {
    ...write,
    reason: `${write.reason} (That the tool only reads is the word of a server that is not trusted.)`,
  };
}

const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, 'pass-through': 1, ask: 2, deny: 3 };

function byPermission(kind: 'read' | 'write', permission: Permission | undefined, what: string): Verdict {
  if (permission === undefined) {
    return verdict('pass-through', 'no-rule', `${what}: there is no rule for it.`);
  }
  return verdict(permission, `${kind}-permission`, `${what} ${CONSEQUENCE[permission]}.`);
}

const CONSEQUENCE: Readonly<Record<Permission, string>> = {
  allow: 'is allowed',
  ask: 'has to be confirmed',
  deny: 'is denied',
};

const verdict = (decision: Decision, rule: RuleName, reason: string): Verdict => ({ decision, rule, reason });
const show = (text: string): string => escapeText(text, { maxLength: 80 });
