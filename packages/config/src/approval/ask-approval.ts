import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import type { Definition } from '../entry/definition.js';
import { isCommandPath, resolveEntryPaths, type BaseFolders } from '../entry/working-directory.js';
import type { JsonObject } from '../jsonc/json-value.js';
import type { Project } from '../layout/find-project.js';
import type { ConfigProblemCode, ProblemDetails } from '../problems.js';
import { requestedVariables } from '../variables/syntax.js';
import type { ApprovalRequest } from './approval-request.js';
import type { ListedStatus, ProjectApprovals } from './approvals.js';
import { promptDetails, promptText } from './prompt-text.js';
import { warningsFor } from './warnings.js';

export interface ApprovalDeps {
  readonly project: Project;
  readonly folders: BaseFolders;
  readonly platform: NodeJS.Platform;
  /** Returns the decisions as they were read last. */
  readonly approvals: () => ProjectApprovals;
  readonly listed: (name: string) => ListedStatus;
  readonly bare: boolean;
  readonly hasSignIn: ((url: string) => boolean | Promise<boolean>) | undefined;
}

interface Question {
  readonly definition: Definition;
  readonly value: JsonObject;
  readonly hash: string;
  /** The entry without grants, variables unexpanded. */
  readonly template: ServerConfig;
}

/** Gets the decision about a definition of the project and asks the user if nothing was decided. Reports problems. */
export async function askApproval(
  question: Question,
  deps: ApprovalDeps,
  report: (code: ConfigProblemCode, path: string, message: string, details?: ProblemDetails) => void,
): Promise<{
  readonly verdict: 'approved' | 'covered' | 'pending' | 'rejected';
  readonly request?: ApprovalRequest;
}> {
  const { definition, hash, template } = question;
  const { name, origin } = definition;
  // A disabled server is not started, so there is no question about it. Enabling it does not approve it.
  const quiet = template.disabled === true;
  let request: ApprovalRequest | undefined;
  try {
    const approvals = deps.approvals();
    request = await approvalRequest(question, deps, await approvals.isChanged(name, hash));
    const verdict = await approvals.decide(request, { mayAsk: !quiet, listed: deps.listed(name) });
    if (verdict === 'rejected') report('APPROVAL_REJECTED', '', 'You rejected this server.');
    if (verdict === 'undecided') {
      const message = request.changed
        ? 'The definition has changed since you approved it.'
        : 'The server is defined by the project and has not been approved.';
      const hint = 'Review the definition and approve it.';
      report('APPROVAL_REQUIRED', '', message, { hint, ...(quiet && { severity: 'info' }) });
    }
    return { verdict: verdict === 'undecided' ? 'pending' : verdict, request };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    report(
      'APPROVAL_FAILED',
      '',
      `Could not determine whether this server of ${origin.file} is approved: ${reason}`,
      { hint: error instanceof FittingsError ? error.hint : undefined },
    );
    return { verdict: 'pending', ...(request !== undefined && { request }) };
  }
}

async function approvalRequest(
  { definition, value, hash, template }: Question,
  deps: ApprovalDeps,
  changed: boolean,
): Promise<ApprovalRequest> {
  const { name, origin } = definition;
  const { id, root } = deps.project;
  const { line } = definition.locationOf('');
  const variables = Array.from(requestedVariables(value, deps.bare), ([variable, fields]) => ({
    name: variable,
    fields,
  }));
  const { command, cwd } = resolveEntryPaths(template, origin, deps.folders, deps.platform);
  const known = {
    name,
    project: { id, root },
    hash,
    file: origin.file,
    line,
    definition: value,
    program: typeof command === 'string' && isCommandPath(command, deps.platform) ? command : undefined,
    folder: typeof cwd === 'string' && !String(template['cwd']).includes('$') ? cwd : undefined,
    variables,
    warnings: warningsFor(value),
    changed,
    preselected: deps.listed(name) === 'preselected',
    hasSignIn: await hasSignIn(template['url'], deps),
  };
  return { ...known, text: promptText(known), details: promptDetails(known) };
}

/** Returns true if the user has signed in at the URL. A URL with a variable is not looked up. */
async function hasSignIn(url: unknown, { hasSignIn: ask }: ApprovalDeps): Promise<boolean> {
  if (ask === undefined || typeof url !== 'string' || url.includes('$') || !URL.canParse(url)) return false;
  return ask(url);
}
