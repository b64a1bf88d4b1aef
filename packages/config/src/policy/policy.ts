import type { ServerConfig } from '@mcp-fittings/client-core';
import { z } from 'zod';
import { dangerousVariables } from '../entry/dangerous-environment.js';
import type { Scope } from '../scopes.js';
import { commandMatches } from './match-command.js';
import { isUrlRule, urlMatches } from './match-url.js';

/**
 * Names servers by exactly one thing. `serverCommand`: program and arguments, `*` standing for any text within one of
 * them, `"**"` at the end for any further ones. `serverUrl`: `https://*.example.com/mcp/*`, or a host alone.
 */
export type ServerRule =
  | { readonly serverName: string }
  | { readonly serverCommand: readonly string[] }
  | { readonly serverUrl: string };

/** What an administrator, or the host, permits. Several policies all have to permit a server; none widens another. */
export interface Policy {
  /** Only servers of the scopes `enterprise` and `managed`. Default false. */
  readonly exclusive?: boolean | undefined;
  /**
   * When set, a server must match. Names are chosen by whoever writes the entry, so as soon as there is a rule for
   * commands (or URLs), a program (or a remote server) must match one of those. `[]` permits nothing.
   */
  readonly allow?: readonly ServerRule[] | undefined;
  /** A server that matches is refused, whatever else is said. */
  readonly deny?: readonly ServerRule[] | undefined;
  /** Refuse project servers that set variables such as `LD_PRELOAD` instead of pointing them out. Default false. */
  readonly refuseDangerousEnvironment?: boolean | undefined;
}

const ruleSchema = z.union([
  z.strictObject({ serverName: z.string().min(1) }),
  z.strictObject({ serverCommand: z.array(z.string()).min(1) }),
  z.strictObject({ serverUrl: z.string().refine(isUrlRule, 'not a host or a URL pattern') }),
]);

const policySchema = z.strictObject({
  exclusive: z.boolean().optional(),
  allow: z.array(ruleSchema).optional(),
  deny: z.array(ruleSchema).optional(),
  refuseDangerousEnvironment: z.boolean().optional(),
});

/** The policy, when it is understood in every part: one that is not must not be obeyed in part. */
export function parsePolicy(policy: unknown): { readonly policy: Policy } | { readonly wrong: string } {
  const result = policySchema.safeParse(policy);
  if (result.success) return { policy: result.data };
  const [issue] = result.error.issues;
  return { wrong: `is malformed${issue === undefined ? '' : ` at "${issue.path.join('.')}"`}` };
}

export interface JudgedServer {
  readonly name: string;
  readonly scope: Scope;
  readonly config: ServerConfig;
}

/** Why the policy refuses a server; undefined when it does not. */
export function refusalOf(policy: Policy, server: JudgedServer): string | undefined {
  const { allow, deny = [], exclusive = false } = policy;
  const administered = server.scope === 'enterprise' || server.scope === 'managed';
  if (exclusive && !administered) return 'only the servers of the administrator are permitted';
  if (deny.some((rule) => matches(rule, server, 'deny'))) return 'it is on the deny list';
  const dangerous = administered ? [] : dangerousVariables(server.config['env']);
  if (dangerous.length > 0) {
    // With such a variable a permitted command is another command.
    if (
      policy.refuseDangerousEnvironment === true ||
      allow?.some((rule) => 'serverCommand' in rule) === true
    ) {
      return `it sets ${dangerous.join(', ')}`;
    }
  }
  return allow === undefined || isAllowed(allow, server) ? undefined : 'it is not on the allow list';
}

/** Whatever the entry has, program or address, must be permitted; only one that has neither goes by its name alone. */
function isAllowed(allow: readonly ServerRule[], server: JudgedServer): boolean {
  const { command, url } = server.config;
  const kinds = [
    ...(typeof command === 'string' ? (['serverCommand'] as const) : []),
    ...(typeof url === 'string' ? (['serverUrl'] as const) : []),
  ];
  const permitted = (kind: 'serverName' | 'serverCommand' | 'serverUrl'): boolean =>
    allow.some((rule) => kind in rule && matches(rule, server, 'allow'));
  if (kinds.length === 0) return permitted('serverName');
  return kinds.every((kind) => permitted(allow.some((rule) => kind in rule) ? kind : 'serverName'));
}

function matches(rule: ServerRule, server: JudgedServer, list: 'allow' | 'deny'): boolean {
  if ('serverName' in rule) return rule.serverName === server.name;
  const { command, args, url } = server.config;
  if ('serverCommand' in rule) {
    if (typeof command !== 'string') return false;
    const rest = Array.isArray(args) ? args.map(String) : [];
    return commandMatches(rule.serverCommand, [command, ...rest], list);
  }
  return typeof url === 'string' && urlMatches(rule.serverUrl, url, list);
}
