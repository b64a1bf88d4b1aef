import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';
import { z } from 'zod';
import { environmentNames, variableRisk } from '../variables/risk.js';
import { HOST_FIELDS } from '../entry/permissions.js';
import type { ConfigScope } from '../layout/scopes.js';
import { globMatches, commandMatches, isUrlRule, urlMatches } from './match-rules.js';

/**
 * Names servers by exactly one thing. `serverCommand`: program and arguments, `*` standing for any text within one of
 * them, `"**"` at the end for any further ones; a program that an entry names by a path is compared as an absolute path.
 * `serverUrl`: `https://*.example.com/mcp/*`, or a host alone.
 *
 * In an allow list a rule for a command or a URL covers an entry only when the entry sets nothing else that decides what
 * runs or where it leads (`cwd`, `inheritEnv`, `proxy`, `ca`, `oauth`, fields of plugins …), except the fields that the
 * rule lists in `fields`. In a deny list `fields` has no effect.
 */
export type ServerRule =
  | { readonly serverName: string }
  | { readonly serverCommand: readonly string[]; readonly fields?: readonly string[] | undefined }
  | { readonly serverUrl: string; readonly fields?: readonly string[] | undefined };

/** What an administrator, or the host, permits. Several policies all have to permit a server; none widens another. */
export interface ServerPolicy {
  /** Only servers of the scopes `enterprise` and `managed`. Default false. */
  readonly exclusive?: boolean | undefined;
  /**
   * When set, a server must match. Names are chosen by whoever writes the entry, so as soon as there is a rule for
   * commands (or URLs), a program (or a remote server) must match one of those. `[]` permits nothing.
   */
  readonly allow?: readonly ServerRule[] | undefined;
  /** A server that matches is refused, whatever else is said. */
  readonly deny?: readonly ServerRule[] | undefined;
  /**
   * Refuse servers, other than the administrator's, that set a variable in `env` which is neither known to be harmless
   * (`*_API_KEY`, `*_TOKEN`, `LANG` …) nor listed in `environment`. Always on with an `allow` rule for commands.
   * Default false.
   */
  readonly refuseDangerousEnvironment?: boolean | undefined;
  /** Names of variables that servers may set besides; `*` stands for any text. Default: none. */
  readonly environment?: readonly string[] | undefined;
}

const ruleSchema = z.union([
  z.strictObject({ serverName: z.string().min(1) }),
  z.strictObject({ serverCommand: z.array(z.string()).min(1), fields: z.array(z.string()).optional() }),
  z.strictObject({
    serverUrl: z.string().refine(isUrlRule, 'not a host or a URL pattern'),
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

/** The policy, when it is understood in every part: one that is not must not be obeyed in part. */
export function parsePolicy(policy: unknown): { readonly policy: ServerPolicy } | { readonly wrong: string } {
  const result = policySchema.safeParse(policy);
  if (result.success) return { policy: result.data };
  const [issue] = result.error.issues;
  return { wrong: `is malformed${issue === undefined ? '' : ` at "${issue.path.join('.')}"`}` };
}

export interface PolicyCandidate {
  readonly name: string;
  readonly scope: ConfigScope;
  /** With the fields that are written, and `command` as what would really run. */
  readonly config: ServerConfig;
}

/**
 * Fields that change neither what a permitted command runs nor where a permitted URL leads. `env` is judged by the names
 * in it. Every other field, also one that is not known here, has to be listed by the rule.
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

/** Why the policy refuses a server; undefined when it does not. */
export function findPolicyViolation(policy: ServerPolicy, server: PolicyCandidate): string | undefined {
  const { allow, deny = [], exclusive = false } = policy;
  const administered = server.scope === 'enterprise' || server.scope === 'managed';
  if (exclusive && !administered) return 'only the servers of the administrator are permitted';
  if (deny.some((rule) => matches(rule, server, 'deny'))) return 'it is on the deny list';
  // With some variables a permitted command is another command, and no list of them is complete.
  const checksEnvironment =
    policy.refuseDangerousEnvironment === true || allow?.some((rule) => 'serverCommand' in rule) === true;
  if (!administered && checksEnvironment) {
    const { environment = [] } = policy;
    const refused = environmentNames(server.config['env']).filter(
      (name) => variableRisk(name) !== 'harmless' && !environment.some((rule) => globMatches(rule, name)),
    );
    if (refused.length > 0) return `it sets ${refused.join(', ')}`;
  }
  if (allow === undefined || isAllowed(allow, server)) return undefined;
  const fields = uncoveredFields(server);
  const wouldMatch = fields.length > 0 && isAllowed(allow, { ...server, scope: 'managed' });
  return wouldMatch
    ? `it sets ${fields.join(', ')}, which no rule of the allow list covers`
    : 'it is not on the allow list';
}

/** Whatever the entry has, program or address, must be permitted; only one that has neither goes by its name alone. */
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

/** An administrator's own entry may say anything; a rule for a name covers what has the name. */
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
