import type { ServerConfig, TransportPlugin } from '@mcp-fittings/client-core';
import type { ApprovalRequest } from '../approval/approval-request.js';
import { askApproval, type ApprovalDeps } from '../approval/ask-approval.js';
import type { Definition } from '../entry/definition.js';
import { printable } from '../display-text.js';
import { validateFields } from '../entry/entry-schema.js';
import { ignoredFields } from '../entry/ignored-fields.js';
import { definitionHash, serverIdentity } from '../entry/identity.js';
import { normalizeEntry } from '../entry/normalize.js';
import { removeGrants } from '../entry/permissions.js';
import { declaredFields, pluginFor, validateWithPlugin } from '../entry/plugin-schema.js';
import { urlIssues } from '../entry/url-issues.js';
import { commandLineIssues, resolveEntryPaths, shellIssues } from '../entry/working-directory.js';
import type { JsonObject } from '../jsonc/json-value.js';
import { findPolicyViolation, type ServerPolicy } from '../policy/policy.js';
import {
  problem,
  type ConfigProblem,
  type ConfigProblemCode,
  type EntryIssue,
  type ProblemDetails,
} from '../problems.js';
import { expandEntry, type ExpandOptions } from '../variables/expand.js';
import { answerInputs } from '../variables/inputs.js';
import { variablesWithRisk } from '../variables/risk.js';
import {
  ALL_VARIABLES,
  keysWithVariables,
  parseTemplate,
  referencedVariables,
  requestedVariables,
  stringValues,
} from '../variables/syntax.js';
import { restrict, restrictBy, type Restrictions } from '../words/read-words.js';
import type { SourceWord } from './read-definitions.js';
import type { LoadConfigOptions } from './load-config.js';
import type { ServerEntry } from './loaded-config.js';

export interface EvaluateDeps extends ApprovalDeps, Omit<ExpandOptions, 'bare' | 'folder' | 'inputs'> {
  readonly askInput: LoadConfigOptions['askInput'];
  /** Undefined if a policy is invalid, so that no server is permitted. */
  readonly policies: readonly ServerPolicy[] | undefined;
  readonly folderIsTrusted: boolean;
  readonly projectVariables: NonNullable<LoadConfigOptions['projectVariables']>;
  readonly plugins: readonly TransportPlugin[];
  /** Settings of other programs in the files that switch off servers or tools. */
  readonly words: readonly SourceWord[];
}

export interface Evaluation {
  readonly status: Exclude<ServerEntry['status'], 'replaced'>;
  readonly problems: readonly ConfigProblem[];
  readonly hash?: string;
  readonly identity?: string;
  readonly config?: ServerConfig;
  readonly approval?: ApprovalRequest;
}

/**
 * Validates one definition, applies policies, asks for approval and expands variables. The order matters: the user is not
 * asked before the entry is valid and permitted, and no variable is read before the entry is approved.
 */
export async function evaluateDefinition(definition: Definition, deps: EvaluateDeps): Promise<Evaluation> {
  const { name, origin, value } = definition;
  if (value === undefined) return { status: 'invalid', problems: definition.problems };

  const problems: ConfigProblem[] = [...definition.problems];
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
    for (const { code, path, message, hint, severity } of issues)
      report(code, path, message, { hint, severity });
  };
  const end = (status: Evaluation['status'], more: Partial<Evaluation> = {}): Evaluation => ({
    status,
    problems,
    hash,
    identity,
    ...more,
  });
  const denied = (config: ServerConfig): boolean => {
    const reason = refusal(deps.policies, { name, scope: origin.scope, config });
    if (reason !== undefined) report('POLICY_DENIED', '', `A policy forbids this server: ${reason}.`);
    return reason !== undefined;
  };

  const hash = definitionHash(name, value);
  const identity = serverIdentity(name, value, {
    scope: origin.scope,
    project: origin.trusted && origin.scope !== 'local' ? undefined : deps.project.id,
  });
  const fieldIssues = validateFields(value);
  const normal = normalizeEntry(
    value,
    deps.plugins.flatMap((plugin) => declaredFields(plugin) ?? []),
  );
  const issues = [
    ...fieldIssues,
    ...('issues' in normal ? normal.issues : []),
    ...variableIssues(definition, value, deps),
    ...reviewIssues(definition, value),
    ...shellIssues(value),
  ];
  reportIssues(issues);
  if (issues.length > 0 || 'issues' in normal) return end('invalid');

  const stripped = origin.trusted || deps.folderIsTrusted ? undefined : removeGrants(normal.config);
  for (const field of stripped?.removed ?? []) {
    report('TRUST_KEY_IGNORED', field, `"${field}" is ignored in a file of the project.`);
  }
  const own = stripped?.config ?? normal.config;
  reportIssues([...ignoredFields(own, pluginFor(deps.plugins, own.type)), ...commandLineIssues(own)]);
  for (const word of normal.switchedOffBy)
    report('RESTRICTED', word, `"${printable(word)}" switches off this server.`);
  const template = restrict(own, fileRestrictions(definition, deps, report));
  const { command, args, url } = value;
  const hasNoVariables = ![...stringValues([command ?? null, args ?? null, url ?? null])].some(([, text]) =>
    text.includes('$'),
  );
  const placed = (config: ServerConfig, at: Pick<Definition['origin'], 'trusted' | 'folder'>): ServerConfig =>
    resolveEntryPaths(config, at, deps.folders, deps.platform);
  // Policies check the fields as written, except the program: they check the one that would run.
  const forPolicy = (config: ServerConfig): ServerConfig =>
    config['command'] === undefined ? config : { ...config, command: placed(config, origin)['command'] };
  if ((deps.policies === undefined || hasNoVariables) && denied(forPolicy(template))) return end('denied');

  let approval: ApprovalRequest | undefined;
  // A server that a rule covers was not approved as part of this project, so it starts where the user's own servers do.
  let at: Pick<Definition['origin'], 'trusted' | 'folder'> = origin;
  if (!origin.trusted) {
    reportEnvironment(value, report);
    const outcome = await askApproval({ definition, value, hash, template }, deps, report);
    approval = outcome.request;
    if (outcome.verdict === 'covered') at = { trusted: true, folder: deps.folders.project };
    else if (outcome.verdict !== 'approved')
      return end(outcome.verdict, approval === undefined ? {} : { approval });
  }

  const { values: inputs, issues: missing } = await answerInputs({
    config: template,
    bare: deps.bare,
    inputs: definition.inputs,
    about: { server: name, identity, file: origin.file, mayAsk: template.disabled !== true },
    askInput: deps.askInput,
  });
  const expansion = expandEntry(template, { ...deps, folder: deps.folders.project, inputs });
  const config = placed(expansion.config, at);
  const found = [...missing, ...expansion.issues];
  reportIssues(found);
  if (found.some(({ severity }) => severity === undefined)) return end('invalid');
  const urlProblems = urlIssues(config);
  reportIssues(urlProblems);
  if (urlProblems.length > 0) return end('invalid');
  if (denied(forPolicy(expansion.config))) return end('denied');
  if (deps.plugins.length > 0) {
    const invalid = await validateWithPlugin(config, deps.plugins, expansion.values);
    reportIssues(invalid);
    if (invalid.some(({ code }) => code !== 'TYPE_UNKNOWN')) return end('invalid');
  }
  return end('ready', { config, ...(approval !== undefined && { approval }) });
}

function refusal(
  policies: readonly ServerPolicy[] | undefined,
  server: Parameters<typeof findPolicyViolation>[1],
): string | undefined {
  if (policies === undefined) return 'one of the policies is invalid';
  for (const policy of policies) {
    const reason = findPolicyViolation(policy, server);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/**
 * Returns what settings in the files forbid a server. A file of the project can deny tools of the user's own servers, but not switch them
 * off: it could hide one that watches over it.
 */
function fileRestrictions(
  { name, origin }: Definition,
  { words, folderIsTrusted }: EvaluateDeps,
  report: (code: ConfigProblemCode, path: string, message: string) => void,
): Restrictions {
  let restrictions: Restrictions = {};
  for (const { path, file, trusted, restrictionsOf } of words) {
    const { disabled, ...tools } = restrictionsOf(name);
    const where = `"${path}" in ${printable(file)}`;
    const mayDisable = trusted || !origin.trusted || folderIsTrusted;
    if (disabled === true && mayDisable) report('RESTRICTED', '', `${where} switches off this server.`);
    else if (Object.keys(tools).length > 0)
      report('RESTRICTED', '', `${where} switches off tools of this server.`);
    if (disabled === true && !mayDisable) {
      const message = `${where} is ignored: a file of the project does not switch off your own servers.`;
      report('TRUST_KEY_IGNORED', '', message);
    }
    restrictions = restrictBy(restrictions, { ...tools, ...(mayDisable && disabled && { disabled }) });
  }
  return restrictions;
}

/** A longer definition cannot be reviewed, in characters of JSON. */
const MAX_REVIEWABLE = 65_536;

/** Issues that apply only to files of the project. */
function reviewIssues({ origin }: Definition, value: JsonObject): readonly EntryIssue[] {
  if (origin.trusted || JSON.stringify(value).length <= MAX_REVIEWABLE) return [];
  const message = 'The definition is too long to be reviewed.';
  return [{ code: 'FIELD_INVALID', path: '', message, hint: 'Move long values into a file of the project.' }];
}

/** Variables that the source of the definition may not use. */
function variableIssues(
  { origin }: Definition,
  value: JsonObject,
  deps: EvaluateDeps,
): readonly EntryIssue[] {
  const issues: EntryIssue[] = [];
  const refuse = (path: string, message: string, hint: string): void => {
    issues.push({ code: 'VARIABLE_REFUSED', path, message, hint });
  };
  if (!origin.trusted && typeof value['command'] === 'string') {
    if (parseTemplate(value['command'], deps.bare).some(({ kind }) => kind !== 'text')) {
      const hint =
        'Write the name or path of the program, so that the approved program is the one that runs.';
      refuse('command', 'A file of the project cannot use a variable in "command".', hint);
    }
  }
  for (const path of keysWithVariables(value, deps.bare)) {
    refuse(
      path,
      `The name in "${path}" has a variable, and names are not expanded.`,
      'Write the name itself.',
    );
  }
  const permitted = origin.trusted ? undefined : deps.projectVariables;
  const requested = requestedVariables(value, deps.bare);
  // Not the path of the project either, which a remote list must not learn.
  const used = origin.mayUseVariables ? requested : [...requested, ...referencedVariables(value, deps.bare)];
  for (const [variable, [field = '']] of new Map(used)) {
    const subject = variable === ALL_VARIABLES ? 'the whole environment' : `the variable ${variable}`;
    if (!origin.mayUseVariables) {
      refuse(field, `A server from a remote list cannot use ${subject}.`, 'Write the value itself.');
    } else if (permitted === 'deny' || (Array.isArray(permitted) && !permitted.includes(variable))) {
      refuse(
        field,
        `A file of the project cannot use ${subject}.`,
        'Define the server in your own settings.',
      );
    }
  }
  return issues;
}

/** Reports variables in `env` that may change what the program does. */
function reportEnvironment(
  value: JsonObject,
  report: (code: ConfigProblemCode, path: string, message: string, details?: ProblemDetails) => void,
): void {
  for (const variable of variablesWithRisk(value['env'], 'dangerous')) {
    const message = `The project sets ${variable}, which can make programs run other code.`;
    report('ENVIRONMENT_DANGEROUS', `env.${variable}`, message);
  }
  for (const variable of variablesWithRisk(value['env'], 'unknown')) {
    const message = `The project sets ${variable}, whose effect is unknown.`;
    report('ENVIRONMENT_UNKNOWN', `env.${variable}`, message);
  }
}
