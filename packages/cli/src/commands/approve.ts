import type { FittingsError } from '@mcp-fittings/client-core';
import type { ApprovalRequest, ServerEntry } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import { isOfFile } from '../output/config-problems.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { openPrompts } from '../prompts/prompts.js';
import { invalidEntry, unknownServer } from '../session/resolve-server.js';
import { type Workspace, openWorkspace } from '../session/workspace.js';
import { configurationExit } from './config-notes.js';
import { isDisabled } from './status-rows.js';

export interface ApproveOptions {
  readonly hash?: string;
  readonly never: boolean;
  readonly forget: boolean;
}

type Decided = 'approved' | 'rejected' | 'undecided' | 'forgotten';

const WITHOUT_TERMINAL =
  'Run this at a terminal, where you are asked. Without one: fittings --json approve <server> shows the definition and its hash, ' +
  'and fittings approve <server> --hash <sha256> approves exactly that definition.';

export async function approve(
  deps: CommandDeps,
  names: readonly string[],
  options: ApproveOptions,
): Promise<void> {
  const { output } = deps;
  const workspace = await openWorkspace(deps, { asks: true });
  const { loaded } = workspace;
  const asked = choose(workspace, names, options);
  const decisions: { name: string; hash: string; decision: Decided }[] = [];
  for (const entry of asked) {
    const { approval } = entry;
    if (approval === undefined) throw invalidEntry(entry);
    decisions.push({ name: approval.name, hash: approval.hash, decision: await decide(approval) });
  }
  output.result(
    { servers: decisions.map((each, index) => ({ ...each, ...approvalJson(asked[index]) })) },
    () =>
      decisions.length === 0
        ? loaded.problems.some(isOfFile)
          ? 'No server that could be read needs a decision: see the error above.'
          : 'No servers need a decision.'
        : decisions.map(({ name, decision }) => `${printable(name)}: ${decision}`).join('\n'),
  );
  configurationExit(deps, loaded);
  if (decisions.some(({ decision }) => decision === 'undecided')) {
    deps.exitCode = EXIT.approval;
    if (!deps.interactive && !output.json) output.note(output.noteStyle.dim(WITHOUT_TERMINAL));
  }

  async function decide(request: ApprovalRequest): Promise<Decided> {
    const { approvals } = workspace;
    if (options.forget) {
      await approvals.forget(loaded.project.id, request.name);
      return 'forgotten';
    }
    if (options.never) {
      await approvals.remember(request, 'never');
      return 'rejected';
    }
    if (options.hash !== undefined) {
      if (options.hash !== request.hash) throw otherDefinition(request);
      await approvals.remember(request, 'always');
      return 'approved';
    }
    const decision = deps.interactive ? await ask(deps, request, decisions.length === 0) : undefined;
    if (decision === undefined) return 'undecided';
    await approvals.remember(request, decision);
    return decision === 'always' ? 'approved' : 'rejected';
  }
}

/** Returns the named servers, decided or not; without names, those that are pending and enabled. */
function choose(
  { loaded }: Workspace,
  names: readonly string[],
  { hash, never, forget }: ApproveOptions,
): readonly ServerEntry[] {
  if (names.length === 0) {
    if (hash !== undefined || never || forget)
      throw new CommandError(
        'ARGUMENTS_INVALID',
        '--hash, --never and --forget require the names of servers.',
      );
    return loaded.entries.filter((entry) => entry.status === 'pending' && !isDisabled(entry));
  }
  if (hash !== undefined && names.length > 1)
    throw new CommandError('ARGUMENTS_INVALID', '--hash takes exactly one server.');
  return names.map((name) => {
    const own = loaded.entries.filter((entry) => entry.name === name && entry.status !== 'replaced');
    const entry = own.find(({ approval, status }) => approval !== undefined || status === 'pending');
    if (entry !== undefined) return entry;
    throw own.length === 0
      ? unknownServer(name, loaded)
      : new CommandError('CONFIG_INVALID', `The server "${name}" needs no approval.`, {
          hint: 'Only servers that came with a project need approval.',
        });
  });
}

async function ask(
  deps: CommandDeps,
  request: ApprovalRequest,
  isFirst: boolean,
): Promise<'always' | 'never' | undefined> {
  const prompts = await openPrompts(deps);
  // The answer about the server before is on the line above.
  prompts.tell(isFirst ? request.text : `\n${request.text}`);
  for (;;) {
    const answer = await prompts.select(`Allow ${printable(request.name)} to run?`, [
      { value: 'no', label: 'Not now', hint: 'you will be asked again' },
      { value: 'always', label: 'Yes', hint: 'until its definition changes' },
      { value: 'never', label: 'Never' },
      { value: 'details', label: 'Show the whole definition' },
    ]);
    if (answer === 'always' || answer === 'never') return answer;
    if (answer === 'no') return undefined;
    prompts.tell(`\n${request.details}`);
  }
}

function approvalJson(entry: ServerEntry | undefined) {
  const { approval } = entry ?? {};
  if (approval === undefined) return {};
  const { definition, variables, warnings, changed, hasSignIn } = approval;
  return { file: entry?.file, line: entry?.line, definition, variables, warnings, changed, hasSignIn };
}

function otherDefinition({ name, hash }: ApprovalRequest): FittingsError {
  return new CommandError(
    'APPROVAL_REQUIRED',
    `The hash does not match the current definition of "${name}".`,
    {
      server: name,
      hint: `Review it again: its hash is now ${hash}.`,
    },
  );
}
