import type { ServerConfig, TransportPlugin } from '@mcp-fittings/client-core';
import { definitionHash, serverIdentity } from '../entry/identity.js';
import type { ApprovalRequest } from '../approval/approval-request.js';
import { validateWithPlugin } from '../entry/plugin-schema.js';
import { validateFields } from '../entry/entry-schema.js';
import { variablesWithRisk } from '../variables/risk.js';
import { expandEntry, type ExpandOptions } from '../variables/expand.js';
import { normalizeEntry } from '../entry/normalize.js';
import { removeGrants } from '../entry/permissions.js';
import { ALL_VARIABLES, parseTemplate, stringValues, requestedVariables } from '../variables/syntax.js';
import type { JsonObject } from '../jsonc/json-value.js';
import { findPolicyViolation, type ServerPolicy } from '../policy/policy.js';
import {
  problem,
  type ConfigProblem,
  type ConfigProblemCode,
  type EntryIssue,
  type ProblemDetails,
} from '../problems.js';
import { askApproval, type ApprovalDeps } from '../approval/ask-approval.js';
import type { Definition } from '../entry/definition.js';
import type { ServerStatus } from './server-entry.js';
import { resolveEntryPaths } from '../entry/working-directory.js';

/** What project files may do with variables: be shown at approval, nothing, or use these names. */
export type ProjectVariables = 'ask' | 'refuse' | readonly string[];

export interface EvaluateDeps extends ApprovalDeps, Omit<ExpandOptions, 'bare'> {
  /** Undefined: a policy could not be understood, so nothing is permitted. */
  readonly policies: readonly ServerPolicy[] | undefined;
  readonly folderTrusted: boolean;
  readonly projectVariables: ProjectVariables;
  readonly plugins: readonly TransportPlugin[];
}

export interface Evaluation {
  readonly status: Exclude<ServerStatus, 'replaced'>;
  readonly problems: readonly ConfigProblem[];
  readonly hash?: string;
  readonly identity?: string;
  readonly config?: ServerConfig;
  readonly approval?: ApprovalRequest;
}

/**
 * Takes one definition through everything that has to hold before it is used. The order matters: no variable is read
 * and nobody is asked before the entry is sound and permitted, and no variable of an unapproved entry is read at all.
 */
export async function evaluateDefinition(definition: Definition, context: EvaluateDeps): Promise<Evaluation> {
  const { name, origin, value } = definition;
  if (value === undefined) return { status: 'invalid', problems: [] };

  const problems: ConfigProblem[] = [];
  const report = (
    code: ConfigProblemCode,
    path: string,
    message: string,
    details: ProblemDetails = {},
  ): void => {
    const location = definition.locationOf(path);
    problems.push(
      problem(code, message, { location, server: name, ...(path !== '' && { path }), ...details }),
    );
  };
  const reportIssues = (issues: readonly EntryIssue[]): void => {
    for (const { code, path, message, hint } of issues) report(code, path, message, { hint });
  };
  const end = (status: Evaluation['status'], more: Partial<Evaluation> = {}): Evaluation => ({
    status,
    problems,
    hash,
    identity,
    ...more,
  });
  const denied = (config: ServerConfig): boolean => {
    const reason = refusal(context.policies, { name, scope: origin.scope, config });
    if (reason !== undefined) report('POLICY_DENIED', '', `A policy forbids this server: ${reason}.`);
    return reason !== undefined;
  };

  const hash = definitionHash(name, value);
  const identity = serverIdentity(name, value, {
    scope: origin.scope,
    project: origin.trusted && origin.scope !== 'local' ? undefined : context.project.id,
  });
  const fieldIssues = validateFields(value);
  const normal = normalizeEntry(value);
  const issues = [
    ...fieldIssues,
    ...('issues' in normal ? normal.issues : []),
    ...variableIssues(definition, value, context),
    ...reviewIssues(definition, value),
  ];
  reportIssues(issues);
  if (issues.length > 0 || 'issues' in normal) return end('invalid');

  const ungranted = origin.trusted || context.folderTrusted ? undefined : removeGrants(normal.config);
  for (const field of ungranted?.removed ?? []) {
    report('TRUST_KEY_IGNORED', field, `"${field}" means nothing in a file that came with the project.`);
  }
  const template = ungranted?.config ?? normal.config;
  const { command, args, url } = value;
  const isFullyWritten = ![...stringValues([command ?? null, args ?? null, url ?? null])].some(([, text]) =>
    text.includes('$'),
  );
  const placed = (config: ServerConfig, at: Pick<Definition['origin'], 'trusted' | 'folder'>): ServerConfig =>
    resolveEntryPaths(config, at, context.folders, context.platform);
  // A policy judges what is written, but of a program what would really run.
  const judged = (config: ServerConfig): ServerConfig =>
    config['command'] === undefined ? config : { ...config, command: placed(config, origin)['command'] };
  if ((context.policies === undefined || isFullyWritten) && denied(judged(template))) return end('denied');

  let approval: ApprovalRequest | undefined;
  // What a rule covers was not approved as a part of this project, so it starts where the person's own servers do.
  let at: Pick<Definition['origin'], 'trusted' | 'folder'> = origin;
  if (!origin.trusted) {
    reportEnvironment(value, report);
    const question = await askApproval({ definition, value, hash, template }, context, report);
    approval = question.request;
    if (question.verdict === 'covered') at = { trusted: true, folder: context.folders.project };
    else if (question.verdict !== 'approved')
      return end(question.verdict, approval === undefined ? {} : { approval });
  }

  const expansion = expandEntry(template, context);
  const config = placed(expansion.config, at);
  reportIssues(expansion.issues);
  if (expansion.issues.length > 0) return end('invalid');
  if (typeof config['url'] === 'string' && !URL.canParse(config['url'])) {
    report('FIELD_INVALID', 'url', '"url" is not right: it is not an absolute address.');
    return end('invalid');
  }
  if (denied(judged(expansion.config))) return end('denied');
  if (context.plugins.length > 0) {
    const found = await validateWithPlugin(config, context.plugins, expansion.values);
    reportIssues(found);
    if (found.some(({ code }) => code !== 'TYPE_UNKNOWN')) return end('invalid');
  }
  return end('ready', { config, ...(approval !== undefined && { approval }) });
}

function refusal(
  policies: readonly ServerPolicy[] | undefined,
  server: Parameters<typeof findPolicyViolation>[1],
): string | undefined {
  if (policies === undefined) return 'there is one that could not be understood';
  for (const policy of policies) {
    const reason = findPolicyViolation(policy, server);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** A longer definition could hide anything from the person who is to approve it; characters of JSON. */
const MAX_REVIEWABLE = 65_536;

/** What only a file that came with the project is refused for. */
function reviewIssues({ origin }: Definition, value: JsonObject): readonly EntryIssue[] {
  if (origin.trusted || JSON.stringify(value).length <= MAX_REVIEWABLE) return [];
  const message = 'The definition is too long for a person to look at.';
  return [{ code: 'FIELD_INVALID', path: '', message, hint: 'Put long values into a file of the project.' }];
}

/** Variables where this source may not use any. */
function variableIssues(
  { origin }: Definition,
  value: JsonObject,
  context: EvaluateDeps,
): readonly EntryIssue[] {
  const issues: EntryIssue[] = [];
  const refuse = (path: string, message: string, hint: string): void => {
    issues.push({ code: 'VARIABLE_REFUSED', path, message, hint });
  };
  if (!origin.trusted && typeof value['command'] === 'string') {
    if (parseTemplate(value['command'], context.bare).some(({ kind }) => kind !== 'text')) {
      const hint = 'Name the program itself, so that what is approved is what runs.';
      refuse('command', 'A file that came with the project may not use a variable in "command".', hint);
    }
  }
  const permitted = origin.trusted ? undefined : context.projectVariables;
  for (const [variable, [field = '']] of requestedVariables(value, context.bare)) {
    const subject = variable === ALL_VARIABLES ? 'every variable' : `the variable ${variable}`;
    if (!origin.mayUseVariables) {
      refuse(field, `A list from a service may not use ${subject}.`, 'Write the value itself.');
    } else if (permitted === 'refuse' || (Array.isArray(permitted) && !permitted.includes(variable))) {
      refuse(
        field,
        `A file that came with the project may not use ${subject}.`,
        'Define the server in your own settings.',
      );
    }
  }
  return issues;
}

/** Points out variables that the project sets and that may change what a program does. */
function reportEnvironment(
  value: JsonObject,
  report: (code: ConfigProblemCode, path: string, message: string, details?: ProblemDetails) => void,
): void {
  for (const variable of variablesWithRisk(value['env'], 'dangerous')) {
    const message = `The project sets ${variable}, which can make programs run other code.`;
    report('ENVIRONMENT_DANGEROUS', `env.${variable}`, message);
  }
  for (const variable of variablesWithRisk(value['env'], 'unknown')) {
    const message = `The project sets ${variable}. What it does is not known here.`;
    report('ENVIRONMENT_UNKNOWN', `env.${variable}`, message);
  }
}
