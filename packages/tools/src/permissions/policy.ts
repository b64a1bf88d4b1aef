import { sanitizeText } from '@mcp-fittings/client-core';
import { traitsOf } from '../traits.js';
import type { CatalogueTool } from '@mcp-fittings/host';
import { createApprovals, type Approvals, type ApprovedTool } from './approvals.js';
import { fitsAny } from './name-pattern.js';
import type { Decision, Permission, RuleName, ServerPermissions, Verdict } from './server-permissions.js';

/** How a person answered a question about a tool. */
export type ConfirmOutcome = 'once' | 'always-tool' | 'always-server' | 'cancel';

export interface PolicyOptions {
  /** By name of the server. */
  readonly servers?: Readonly<Record<string, ServerPermissions>> | undefined;
  /** Whether the folder that the host works in is trusted. Default false: `trust: true` of a server has no effect. */
  readonly folderIsTrusted?: boolean | (() => boolean) | undefined;
  /** Default: an empty list of its own. */
  readonly approvals?: Approvals | undefined;
  /**
   * What an approval is given to. Default: the name of the server. Give a hash of its configuration, so that another
   * server under the same name is asked about again.
   */
  readonly identify?: ((server: string) => string) | undefined;
}

/** Decides what may be done without asking, and remembers what persons answered. */
export interface Policy {
  /** What answers for good are kept in; save it when it has changed. */
  readonly approvals: Approvals;
  forTool(tool: PolicyTool): Verdict;
  forResource(resource: { readonly server: string; readonly uri: string }): Verdict;
  /** Takes an answer down. True when the call may go ahead. */
  answer(tool: PolicyTool, outcome: ConfirmOutcome): boolean;
}

export type PolicyTool = Pick<CatalogueTool, 'server' | 'name' | 'annotations' | 'digest'>;

/**
 * The rules, the first that applies decides: denied tool; allowed tool; a permission that says deny; approved by
 * a person; trusted server in a trusted folder; read or write permission; none.
 */
export function createPolicy(options: PolicyOptions = {}): Policy {
  const { servers = {}, folderIsTrusted = false, approvals = createApprovals() } = options;
  const identify = options.identify ?? ((server) => server);
  const permissionsOf = (server: string): ServerPermissions =>
    (Object.hasOwn(servers, server) ? servers[server] : undefined) ?? {};
  const isTrusted = (server: string): boolean =>
    permissionsOf(server).trust === true &&
    (typeof folderIsTrusted === 'function' ? folderIsTrusted() : folderIsTrusted);
  const approved = (tool: PolicyTool): ApprovedTool => ({
    server: identify(tool.server),
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
      if (fitsAny(tool.name, permissions.allowedTools)) {
        return verdict('allow', 'allowed-tool', `The tool is on the list of allowed tools of ${server}.`);
      }
      const trusted = isTrusted(tool.server);
      const general = generalVerdict(tool, permissions, trusted, server);
      if (general.decision === 'deny') return general;
      if (approvals.hasServer(identify(tool.server))) {
        return verdict('allow', 'approved-server', `Somebody approved all tools of ${server}.`);
      }
      if (approvals.hasTool(approved(tool))) {
        return verdict(
          'allow',
          'approved-tool',
          'Somebody approved this tool, and it has not changed since.',
        );
      }
      if (trusted) {
        return verdict('allow', 'trusted-server', `The ${server} is trusted, and so is the folder.`);
      }
      return general;
    },
    forResource({ server, uri }) {
      const permissions = permissionsOf(server);
      const where = `server "${show(server)}"`;
      if (fitsAny(uri, permissions.allowedResources)) {
        return verdict(
          'allow',
          'allowed-resource',
          `The resource is on the list of allowed ones of ${where}.`,
        );
      }
      return byPermission('read', permissions.readPermission, `Reading from ${where}`);
    },
    answer(tool, outcome) {
      switch (outcome) {
        case 'once':
          return true;
        case 'always-tool':
          approvals.addTool(approved(tool));
          return true;
        case 'always-server':
          approvals.addServer(identify(tool.server));
          return true;
        case 'cancel':
        default:
          return false;
      }
    },
  };
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
    return verdict('pass-through', 'no-rule', `${what}: no rule says anything about it.`);
  }
  return verdict(permission, `${kind}-permission`, `${what} ${CONSEQUENCE[permission]}.`);
}

const CONSEQUENCE: Readonly<Record<Permission, string>> = {
  allow: 'is allowed',
  ask: 'has to be confirmed',
  deny: 'is denied',
};

const verdict = (decision: Decision, rule: RuleName, reason: string): Verdict => ({ decision, rule, reason });
const show = (text: string): string => sanitizeText(text, { maxLength: 80 });
