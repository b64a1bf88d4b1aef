import type { ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { matchesWildcard } from '@mcp-fittings/toolbox/text';
import { z } from 'zod';
import { HOST_FIELDS } from '../entry/permissions.js';
import type { ConfigScope } from '../layout/scopes.js';
import { environmentNames, variableRisk } from '../variables/risk.js';
import { commandMatches, isUrlRule, urlMatches } from './match-rules.js';

/**
 * Selects servers by exactly one property.
 *
 * - `serverName`: the name of the server.
 * - `serverCommand`: the program and its arguments. `*` matches any text within one of them; `"**"` at the end matches any
 *   further arguments. A program that an entry names by a path is compared as an absolute path.
 * - `serverUrl`: a URL such as `https://*.example.com/mcp/*`, or only a host.
 *
 * In an allow list, a rule with a command or URL permits an entry only if the entry sets no other field that affects what
 * runs or where it leads (`cwd`, `inheritEnv`, `proxy`, `ca`, `oauth`, fields of plugins …), except those that the rule
 * lists in `fields`. In a deny list, `fields` has no effect.
 */
export type ServerRule =
  | { readonly serverName: string }
  | { readonly serverCommand: readonly string[]; readonly fields?: readonly string[] | undefined }
  | { readonly serverUrl: string; readonly fields?: readonly string[] | undefined };

/** Policy of an administrator or of the host. If there are several policies, each of them must permit a server. */
export interface ServerPolicy {
  /** If true, only servers of the scopes `enterprise` and `managed` are permitted. Default: false. */
  readonly exclusive?: boolean | undefined;
  /**
   * If set, a server must match one of these rules; `[]` permits no server. The author of an entry chooses its name, so as
   * soon as the list has a rule with `serverCommand` (or `serverUrl`), local (or remote) servers must match such a rule.
   * Default: every server is permitted.
   */
  readonly allow?: readonly ServerRule[] | undefined;
  /** Servers that match one of these rules are refused, even if `allow` matches too. Default: none. */
  readonly deny?: readonly ServerRule[] | undefined;
  /**
   * If true, a server is refused if its `env` sets a variable that is neither known to be harmless (`*_API_KEY`, `*_TOKEN`, `LANG` …) nor
   * listed in `environment`. Servers of an administrator are exempt. Always true if `allow` has a rule with `serverCommand`. Default:
   * false.
   */
  readonly refuseDangerousEnvironment?: boolean | undefined;
  /** Names of further variables that servers may set; `*` matches any text. Default: none. */
  readonly environment?: readonly string[] | undefined;
}

const ruleSchema = z.union([
  z.strictObject({ serverName: z.string().min(1) }),
  z.strictObject({ serverCommand: z.array(z.string()).min(1), fields: z.array(z.string()).optional() }),
  z.strictObject({
    serverUrl: z.string().refine(isUrlRule, 'not a host or URL pattern'),
    fields: z.array(z.string()).optional(),
  }),
]);

const policySchema = z.strictObject({
  exclusive: z.boolean().optional(),
  allow: z.array(ruleSchema).optional(),
  deny: z.array(ruleSchema).optional(),
  refuseDangerousEnvironment: z.boolean().optional(),
  environment: z.array(z.string().min(1)).optional(),
});

/** Parses a policy. One with any invalid part is rejected as a whole, so that it is not applied in part. */
export function parsePolicy(policy: unknown): { readonly policy: ServerPolicy } | { readonly error: string } {
  const result = policySchema.safeParse(policy);
  if (result.success) return { policy: result.data };
  const [issue] = result.error.issues;
  return { error: `is invalid${issue === undefined ? '' : ` at "${issue.path.join('.')}"`}` };
}

export interface PolicyCandidate {
  readonly name: string;
  readonly scope: ConfigScope;
  /** The entry with the fields as written, and with `command` as the program that would run. */
  readonly config: ServerConfig;
}

/**
 * Fields that affect neither what a permitted command runs nor where a permitted URL leads. `env` is checked by the names
 * in it. A rule must list every other field, including unknown ones.
 */
const COVERED_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'command',
  'args',
  'env',
  'url',
  'headers',
  'apiKey',
  'name',
  ...HOST_FIELDS,
]);

/** Returns why the policy refuses a server, as a clause for a message; undefined if it permits the server. */
export function findPolicyViolation(policy: ServerPolicy, server: PolicyCandidate): string | undefined {
  const { allow, deny = [], exclusive = false } = policy;
  const administered = server.scope === 'enterprise' || server.scope === 'managed';
  if (exclusive && !administered) return 'only servers of the administrator are permitted';
  if (deny.some((rule) => matches(rule, server, 'deny'))) return 'it is on the deny list';
  // Some variables turn a permitted command into another one, and no list of such variables is complete.
  const checksEnvironment =
    policy.refuseDangerousEnvironment === true || allow?.some((rule) => 'serverCommand' in rule) === true;
  if (!administered && checksEnvironment) {
    const { environment = [] } = policy;
    const refused = environmentNames(server.config['env']).filter(
      (name) => variableRisk(name) !== 'harmless' && !environment.some((rule) => matchesWildcard(name, rule)),
    );
    if (refused.length > 0) return `it sets ${refused.join(', ')}`;
  }
  if (allow === undefined || isAllowed(allow, server)) return undefined;
  const fields = uncoveredFields(server);
  const wouldMatch = fields.length > 0 && isAllowed(allow, { ...server, scope: 'managed' });
  return wouldMatch
    ? `it sets ${fields.join(', ')}, which no matching rule of the allow list lists in "fields"`
    : 'it is not on the allow list';
}

/** The command and the URL must each be permitted; only an entry that has neither is selected by its name alone. */
function isAllowed(allow: readonly ServerRule[], server: PolicyCandidate): boolean {
  const { command, url } = server.config;
  const kinds = [
    ...(typeof command === 'string' ? (['serverCommand'] as const) : []),
    ...(typeof url === 'string' ? (['serverUrl'] as const) : []),
  ];
  const permitted = (kind: 'serverName' | 'serverCommand' | 'serverUrl'): boolean =>
    allow.some((rule) => kind in rule && matches(rule, server, 'allow') && covers(rule, server));
  if (kinds.length === 0) return permitted('serverName');
  return kinds.every((kind) => permitted(allow.some((rule) => kind in rule) ? kind : 'serverName'));
}

/** Fields do not matter for an administrator's own entry, or for a rule with a name. */
function covers(rule: ServerRule, server: PolicyCandidate): boolean {
  if ('serverName' in rule || server.scope === 'enterprise' || server.scope === 'managed') return true;
  return uncoveredFields(server).every((field) => rule.fields?.includes(field) === true);
}

function uncoveredFields({ config }: PolicyCandidate): readonly string[] {
  return Object.entries(config)
    .filter(([field, value]) => value !== undefined && !COVERED_FIELDS.has(field))
    .filter(([field, value]) => !(field === 'oauth' && isRecord(value) && value['enabled'] === false))
    .map(([field]) => field);
}

function matches(rule: ServerRule, server: PolicyCandidate, list: 'allow' | 'deny'): boolean {
  if ('serverName' in rule) return rule.serverName === server.name;
  const { command, args, url } = server.config;
  if ('serverCommand' in rule) {
    if (typeof command !== 'string') return false;
    const rest = Array.isArray(args) ? args.map(String) : [];
    return commandMatches(rule.serverCommand, [command, ...rest], list);
  }
  return typeof url === 'string' && urlMatches(rule.serverUrl, url, list);
}
