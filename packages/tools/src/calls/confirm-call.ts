import { FittingsError } from '@mcp-fittings/client-core';
import { escapeJson, escapeText } from '@mcp-fittings/client-core/text';
import { abortable } from '@mcp-fittings/client-core/timing';
import type { CatalogTool, ToolRef } from '@mcp-fittings/host';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { PinQuestion } from '../pins/pin-gate.js';
import type { ToolPolicyVerdict } from '../permissions/tool-permissions.js';
import type { ConfirmOutcome, PolicyTool, ToolPolicy } from '../permissions/tool-policy.js';

/**
 * A question to the user before a tool runs. `text` and `argsText` are safe to show: they hide nothing, and control characters
 * are escaped. `tool.definition` is the server's own text and is not.
 */
export interface ConfirmRequest {
  /** The tool that is about to run. */
  readonly tool: ModelTool;
  /** Digest of the tool as its server describes it now, which is what is called. `tool` may be older. */
  readonly digest: string;
  /** The arguments that are sent if the user agrees: a copy that does not change while the question is open. */
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * The arguments as JSON. Control, invisible and direction-changing characters are escapes such as `\\u{202e}`. At most 10 000
   * characters: truncated text says how much is missing, and long text begins with its length and the names of its members.
   */
  readonly argsText: string;
  /** The whole question: tool, server, reason, what changed since the user agreed to the tool, and arguments. */
  readonly text: string;
  /** Why the user is asked. */
  readonly verdict: ToolPolicyVerdict;
  /** With `pins`: what changed since the user agreed to the tool. Any answer but `cancel` agrees to the change. */
  readonly change?: PinQuestion | undefined;
  /** Aborted when the call is. The answer is then ignored. */
  readonly signal: AbortSignal;
}

/** Asks the user whether a tool may run. If it rejects, the call fails with `CALLBACK_FAILED`. */
export type Confirm = (request: ConfirmRequest) => Promise<ConfirmOutcome>;

/** What is needed of the host and of the options to ask. */
export interface ConfirmDeps {
  /** The tools as their servers describe them now. */
  readonly currentTools: () => readonly CatalogTool[];
  /** The tool that a call reaches now, and the identity of its server. */
  readonly currentTool: (tool: ModelTool) => PolicyTool;
  readonly policy: ToolPolicy;
  readonly confirm: Confirm | undefined;
}

/** Asks the user and records the answer. Rejects unless the call may run. */
export async function confirmCall(
  deps: ConfirmDeps,
  question: Omit<ConfirmRequest, 'digest' | 'argsText' | 'text'>,
  asked: PolicyTool,
): Promise<void> {
  const { tool, args, verdict } = question;
  const { server } = tool.ref;
  if (deps.confirm === undefined) {
    throw new FittingsError(
      'APPROVAL_REQUIRED',
      `The tool ${tool.name} requires confirmation, but the host has no confirm callback: ${verdict.reason}`,
      {
        server,
        delivery: 'not-sent',
        hint: 'Allow the tool in the policy, or pass `confirm` to createTools().',
      },
    );
  }
  const argsText = argumentsText(args);
  const { title, annotations } = question.change?.tool ?? tool.definition;
  const text = questionText({
    ref: tool.ref,
    title: title ?? annotations?.title,
    argsText,
    verdict,
    change: question.change?.text,
  });
  const outcome = await abortable(
    deps.confirm({ ...question, digest: asked.digest, argsText, text }),
    question.signal,
  );
  if (outcome !== 'cancel') checkUnchanged(deps, tool, asked);
  if (question.change !== undefined && AGREES.has(outcome)) {
    await question.change.accept();
    // Storing the answer takes time too.
    checkUnchanged(deps, tool, asked);
  }
  const serverTools =
    outcome === 'always-server'
      ? deps
          .currentTools()
          .filter((each) => each.server === server)
          .map((each) => ({ ...each, identity: asked.identity }))
      : undefined;
  if (deps.policy.answer(asked, outcome, serverTools)) return;
  throw new FittingsError('POLICY_DENIED', `The user declined the call of ${tool.name}.`, {
    server,
    delivery: 'not-sent',
  });
}

/** Answers of which each lets the call run. */
const AGREES: ReadonlySet<unknown> = new Set(['once', 'always-tool', 'always-server']);

/** The user may take minutes to answer. The answer must not be used for another tool or another server. */
function checkUnchanged(deps: ConfirmDeps, tool: ModelTool, asked: PolicyTool): void {
  const now = deps.currentTool(tool);
  if (now.digest === asked.digest && now.identity === asked.identity) return;
  throw new FittingsError(
    'APPROVAL_REQUIRED',
    `The tool ${tool.name} or its server changed while the question was open.`,
    {
      server: tool.ref.server,
      delivery: 'not-sent',
      hint: 'Call the tool again. The user will be asked about the changed tool.',
    },
  );
}

/** Together with the note about its length, the text has at most 10 000 characters. */
const MAX_ARGUMENTS_LENGTH = 8_000;
const MAX_SERVER_NAME_LENGTH = 200;
/** Shorter text fits on a screen and needs no note about its length. */
const SHORT = { characters: 2_000, lines: 20 };
/** Members that are listed before a long text. */
const MAX_LISTED = 20;

/** Formats arguments for the user: escaped, and with their length first if they are long. */
function argumentsText(args: Readonly<Record<string, unknown>>): string {
  const { text, missing } = escapeJson(args, { maxLength: MAX_ARGUMENTS_LENGTH });
  const lines = text.split('\n').length;
  if (missing === 0 && lines <= SHORT.lines && text.length <= SHORT.characters) return text;
  const truncated = missing === 0 ? '' : ` ${missing} more characters are not shown.`;
  return `[${lines} lines, ${text.length} characters follow.${truncated} ${membersOf(args)}]\n${text}`;
}

/** Writes the question with the names that the server uses, because its title may say anything. */
function questionText(question: {
  readonly ref: ToolRef;
  readonly title: string | undefined;
  readonly argsText: string;
  readonly verdict: ToolPolicyVerdict;
  readonly change: string | undefined;
}): string {
  const { ref, title, argsText, verdict, change } = question;
  const ownTitle = title === undefined || title === ref.tool ? '' : `, whose title is "${show(title)}",`;
  return [
    `The tool "${show(ref.tool)}" of the server "${show(ref.server)}"${ownTitle} is about to run. ${verdict.reason}`,
    ...(change === undefined ? [] : [change]),
    `Arguments: ${argsText}`,
  ].join('\n');
}

function membersOf(args: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(args);
  const listed = keys.slice(0, MAX_LISTED).map((key) => `"${escapeText(key, { maxLength: 60 })}"`);
  const more = keys.length > listed.length ? ` and ${keys.length - listed.length} more` : '';
  return `Members: ${listed.join(', ')}${more}.`;
}

const show = (text: string): string => escapeText(text, { maxLength: MAX_SERVER_NAME_LENGTH });
