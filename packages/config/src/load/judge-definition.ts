import type { ServerConfig, TransportPlugin } from '@mcp-fittings/client-core';
import { isAbsolute, resolve } from 'node:path';
import type { Approvals, Listed } from '../approval/approvals.js';
import { definitionHash } from '../approval/definition-hash.js';
import { detailsText, summaryText } from '../approval/prompt-text.js';
import { warningsFor } from '../approval/warnings.js';
import type { ApprovalRequest } from '../approval/request.js';
import { checkAgainstPlugin } from '../entry/check-plugin.js';
import { checkFields } from '../entry/check-entry.js';
import { dangerousVariables } from '../entry/dangerous-environment.js';
import { expandEntry, type Environment } from '../entry/expand.js';
import { normaliseEntry, type EntryFault } from '../entry/normalise.js';
import { withoutGrants } from '../entry/trust-keys.js';
import { textParts, textsOf, variablesIn } from '../entry/variables.js';
import type { JsonObject } from '../jsonc/json-value.js';
import type { MissingVariable } from '../layout/layout.js';
import { refusalOf, type Policy } from '../policy/policy.js';
import { problem, type Problem, type ProblemCode, type ProblemDetails } from '../problems.js';
import type { Project } from '../project/find-project.js';
import type { Definition } from './definition.js';
import type { ServerStatus } from './server-entry.js';

/** What project files may do with variables: be shown at approval, nothing, or use these names. */
export type ProjectVariables = 'ask' | 'refuse' | readonly string[];

export interface JudgeContext {
  readonly project: Project;
  /** Undefined: a policy could not be understood, so nothing is permitted. */
  readonly policies: readonly Policy[] | undefined;
  readonly approvals: Approvals;
  readonly listed: (name: string) => Listed;
  readonly folderTrusted: boolean;
  readonly env: Environment;
  readonly missing: MissingVariable;
  readonly bare: boolean;
  readonly projectVariables: ProjectVariables;
  readonly plugins: readonly TransportPlugin[];
}

export interface Judgement {
  readonly status: Exclude<ServerStatus, 'replaced'>;
  readonly problems: readonly Problem[];
  readonly hash?: string;
  readonly config?: ServerConfig;
  readonly approval?: ApprovalRequest;
}

/**
 * Takes one definition through everything that has to hold before it is used. The order matters: no variable is read
 * and nobody is asked before the entry is sound and permitted, and no variable of an unapproved entry is read at all.
 */
export async function judgeDefinition(definition: Definition, context: JudgeContext): Promise<Judgement> {
  const { name, origin, value } = definition;
  if (value === undefined) return { status: 'invalid', problems: [] };

  const problems: Problem[] = [];
  const report = (code: ProblemCode, path: string, message: string, details: ProblemDetails = {}): void => {
    const place = definition.placeOf(path);
    problems.push(problem(code, message, { place, server: name, ...(path !== '' && { path }), ...details }));
  };
  const reportFaults = (faults: readonly EntryFault[]): void => {
    for (const { code, path, message, hint } of faults) report(code, path, message, { hint });
  };
  const end = (status: Judgement['status'], more: Partial<Judgement> = {}): Judgement => ({
    status,
    problems,
    hash,
    ...more,
  });
  const denied = (config: ServerConfig): boolean => {
    const reason = refusal(context.policies, { name, scope: origin.scope, config });
    if (reason !== undefined) report('POLICY_DENIED', '', `A policy forbids this server: ${reason}.`);
    return reason !== undefined;
  };

  const hash = definitionHash(name, value);
  const fieldFaults = checkFields(value);
  const normal = normaliseEntry(value);
  const faults = [
    ...fieldFaults,
    ...('faults' in normal ? normal.faults : []),
    ...variableFaults(definition, value, context),
    ...reviewFaults(definition, value),
  ];
  reportFaults(faults);
  if (faults.length > 0 || 'faults' in normal) return end('invalid');

  const ungranted = origin.trusted || context.folderTrusted ? undefined : withoutGrants(normal.config);
  for (const field of ungranted?.removed ?? []) {
    report('TRUST_KEY_IGNORED', field, `"${field}" means nothing in a file that came with the project.`);
  }
  const template = ungranted?.config ?? normal.config;
  const { command, args, url } = value;
  const judgedAsWritten = ![...textsOf([command ?? null, args ?? null, url ?? null])].some(([, text]) =>
    text.includes('$'),
  );
  if ((context.policies === undefined || judgedAsWritten) && denied(template)) return end('denied');

  let approval: ApprovalRequest | undefined;
  if (!origin.trusted) {
    for (const variable of dangerousVariables(value['env'])) {
      report(
        'ENVIRONMENT_DANGEROUS',
        `env.${variable}`,
        `The project sets ${variable}, which can make programs run other code.`,
      );
    }
    const verdict = await askApproval(definition, value, hash, context, template, report);
    approval = verdict.request;
    if (verdict.verdict !== 'approved')
      return end(verdict.verdict, approval === undefined ? {} : { approval });
  }

  const expansion = expandEntry(template, context);
  const config = withAbsoluteCwd(expansion.config, context.project.root);
  reportFaults(expansion.faults);
  if (expansion.faults.length > 0) return end('invalid');
  if (typeof config['url'] === 'string' && !URL.canParse(config['url'])) {
    report('FIELD_INVALID', 'url', '"url" is not right: it is not an absolute address.');
    return end('invalid');
  }
  if (denied(config)) return end('denied');
  if (context.plugins.length > 0) {
    const found = await checkAgainstPlugin(config, context.plugins, expansion.values);
    reportFaults(found);
    if (found.some(({ code }) => code !== 'TYPE_UNKNOWN')) return end('invalid');
  }
  return end('ready', { config, ...(approval !== undefined && { approval }) });
}

function refusal(
  policies: readonly Policy[] | undefined,
  server: Parameters<typeof refusalOf>[1],
): string | undefined {
  if (policies === undefined) return 'there is one that could not be understood';
  for (const policy of policies) {
    const reason = refusalOf(policy, server);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** A longer definition could hide anything from the person who is to approve it; characters of JSON. */
const MAX_REVIEWABLE = 65_536;

/** What only a file that came with the project is refused for. */
function reviewFaults({ origin }: Definition, value: JsonObject): readonly EntryFault[] {
  if (origin.trusted || JSON.stringify(value).length <= MAX_REVIEWABLE) return [];
  const message = 'The definition is too long for a person to look at.';
  return [{ code: 'FIELD_INVALID', path: '', message, hint: 'Put long values into a file of the project.' }];
}

/** Variables where this source may not use any. */
function variableFaults(
  { origin }: Definition,
  value: JsonObject,
  context: JudgeContext,
): readonly EntryFault[] {
  const faults: EntryFault[] = [];
  const refuse = (path: string, message: string, hint: string): void => {
    faults.push({ code: 'VARIABLE_REFUSED', path, message, hint });
  };
  if (!origin.trusted && typeof value['command'] === 'string') {
    if (textParts(value['command'], context.bare).some(({ kind }) => kind !== 'text')) {
      const hint = 'Name the program itself, so that what is approved is what runs.';
      refuse('command', 'A file that came with the project may not use a variable in "command".', hint);
    }
  }
  const permitted = origin.trusted ? undefined : context.projectVariables;
  for (const [variable, [field = '']] of variablesIn(value, context.bare)) {
    if (!origin.mayUseVariables) {
      refuse(field, `A list from a service may not use the variable ${variable}.`, 'Write the value itself.');
    } else if (permitted === 'refuse' || (Array.isArray(permitted) && !permitted.includes(variable))) {
      refuse(
        field,
        `A file that came with the project may not use the variable ${variable}.`,
        'Define the server in your own settings.',
      );
    }
  }
  return faults;
}

async function askApproval(
  definition: Definition,
  value: JsonObject,
  hash: string,
  context: JudgeContext,
  template: ServerConfig,
  report: (code: ProblemCode, path: string, message: string, details?: ProblemDetails) => void,
): Promise<{ readonly verdict: 'approved' | 'pending' | 'rejected'; readonly request?: ApprovalRequest }> {
  const { name, origin } = definition;
  const { approvals, project } = context;
  // A disabled server is not started, so nobody is disturbed for it; it can't be enabled unapproved either.
  const quiet = template.disabled === true;
  let request: ApprovalRequest | undefined;
  try {
    request = approvalRequest(
      definition,
      value,
      hash,
      context,
      await approvals.isChanged(project.id, name, hash),
    );
    const verdict = await approvals.decide(request, { mayAsk: !quiet, listed: context.listed(name) });
    if (verdict === 'rejected') report('APPROVAL_REJECTED', '', 'You decided against this server.');
    if (verdict === 'undecided') {
      const message = request.changed
        ? 'The definition has changed since it was approved.'
        : 'The server came with the project and has not been approved.';
      const hint = 'Look at the definition and approve it.';
      report('APPROVAL_REQUIRED', '', message, { hint, ...(quiet && { severity: 'info' }) });
    }
    return { verdict: verdict === 'undecided' ? 'pending' : verdict, request };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    report(
      'APPROVAL_FAILED',
      '',
      `Whether ${origin.file} may bring this server could not be decided: ${reason}`,
    );
    return { verdict: 'pending', ...(request !== undefined && { request }) };
  }
}

function approvalRequest(
  definition: Definition,
  value: JsonObject,
  hash: string,
  context: JudgeContext,
  changed: boolean,
): ApprovalRequest {
  const { name, origin } = definition;
  const { id, root } = context.project;
  const { line } = definition.placeOf('');
  const variables = Array.from(variablesIn(value, context.bare), ([variable, fields]) => ({
    name: variable,
    fields,
  }));
  const facts = { name, root, hash, file: origin.file, line, definition: value, variables, changed };
  return {
    name,
    project: { id, root },
    hash,
    file: origin.file,
    line,
    definition: value,
    variables,
    warnings: warningsFor(value),
    changed,
    summary: summaryText(facts),
    details: detailsText(facts),
  };
}

function withAbsoluteCwd(config: ServerConfig, root: string): ServerConfig {
  const { cwd } = config;
  return typeof cwd !== 'string' || isAbsolute(cwd) ? config : { ...config, cwd: resolve(root, cwd) };
}
