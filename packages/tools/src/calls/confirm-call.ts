import { FittingsError } from '@mcp-fittings/client-core';
import { escapeJson, escapeText } from '@mcp-fittings/toolbox/text';
import { abortable } from '@mcp-fittings/toolbox/timing';
import type { ToolRef } from '@mcp-fittings/host';
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
  /** Verdict of the policy, with the reason for the question. */
  readonly verdict: ToolPolicyVerdict;
  /** With `pins`: what changed since the user agreed to the tool. Any answer but `cancel` agrees to the change. */
  readonly change?: PinQuestion | undefined;
  /** Aborted when the call is. The answer is then ignored. */
  readonly signal: AbortSignal;
}

/** Asks the user whether a tool may run. If it rejects, the call fails with `CALLBACK_FAILED`. */
export type Confirm = (request: ConfirmRequest) => Promise<ConfirmOutcome>;

/**
 * Asks the user about one call and records the answer. After the answer, the tool, the identity of its server and the verdict of
 * the policy are looked at again: an answer counts for exactly what was shown.
 * @throws {FittingsError} `POLICY_DENIED` if the user or, meanwhile, the policy refuses; `APPROVAL_REQUIRED` if the tool or its
 * server changed while the question was open; `CALLBACK_FAILED` if the answer is not one of the four.
 */
export async function confirmCall(
  question: Pick<ConfirmRequest, 'args' | 'verdict' | 'change' | 'signal'> & {
    /** Server and original name of the tool. */
    readonly ref: ToolRef;
    /** Name of the tool in errors. */
    readonly name: string;
    /** Title that the server gives the tool. */
    readonly title: string | undefined;
    /** The tool as the verdict was reached about it. */
    readonly asked: PolicyTool;
  },
  gate: {
    /** Is told the answer, and asked again after it. */
    readonly policy: ToolPolicy;
    /** Returns the tool that a call reaches now, with the identity of its server. */
    readonly currentTool: () => PolicyTool;
    /** Returns all tools that the server has now, for the answer `always-server`. */
    readonly serverTools: () => readonly PolicyTool[];
    /** Asks the user with a text that hides nothing. */
    readonly ask: (shown: Pick<ConfirmRequest, 'text' | 'argsText'>) => Promise<ConfirmOutcome>;
  },
): Promise<void> {
  const { ref, args, asked, change } = question;
  const argsText = argumentsText(args);
  const text = questionText({ ...question, argsText, change: change?.text });
  const outcome = await abortable(gate.ask({ text, argsText }), question.signal);
  if (outcome === 'cancel') throw declined(question);
  if (!AGREES.has(outcome)) throw notAnAnswer(question, outcome);
  checkUnchanged(question, gate);
  if (change !== undefined) {
    await change.accept();
    // Storing the answer takes time too.
    checkUnchanged(question, gate);
  }
  const serverTools =
    outcome === 'always-server'
      ? gate
          .serverTools()
          .filter(({ server }) => server === ref.server)
          .map((each) => ({ ...each, identity: asked.identity }))
      : undefined;
  if (!gate.policy.answer(asked, outcome, serverTools)) throw declined(question);
}

type CallQuestion = Parameters<typeof confirmCall>[0];
type CallGate = Parameters<typeof confirmCall>[1];

/** Answers of which each lets the call run. */
const AGREES: ReadonlySet<unknown> = new Set(['once', 'always-tool', 'always-server']);

/** Creates the error of a call that was not made. */
export function notCalled(
  code: 'APPROVAL_REQUIRED' | 'ARGUMENTS_INVALID' | 'CALLBACK_FAILED' | 'POLICY_DENIED',
  { ref }: Pick<ModelTool, 'ref'>,
  message: string,
  hint?: string,
): FittingsError {
  return new FittingsError(code, message, { server: ref.server, delivery: 'not-sent', hint });
}

const declined = (question: CallQuestion): FittingsError =>
  notCalled('POLICY_DENIED', question, `The user declined the call of ${question.name}.`);

/** A program without types may answer `true`, or nothing: neither runs the tool, and neither is a refusal of the user. */
const notAnAnswer = (question: CallQuestion, outcome: unknown): FittingsError =>
  notCalled(
    'CALLBACK_FAILED',
    question,
    `The confirm callback answered ${outcome === undefined ? 'nothing' : `a value of type ${typeof outcome}`} to the call of ${question.name}.`,
    'Answer with "once", "always-tool", "always-server" or "cancel".',
  );

/** The user may take minutes to answer. The answer must not be used for another tool, another server or against a new rule. */
function checkUnchanged(question: CallQuestion, { currentTool, policy }: CallGate): void {
  const { name, asked } = question;
  const now = currentTool();
  if (now.digest !== asked.digest || now.identity !== asked.identity) {
    throw notCalled(
      'APPROVAL_REQUIRED',
      question,
      `The tool ${name} or its server changed while the question was open.`,
      'Call the tool again. The user will be asked about the changed tool.',
    );
  }
  const verdict = policy.forTool(now);
  if (verdict.decision === 'deny') throw deniedByPolicy(question, verdict);
}

/** Creates the error of a call that the policy denies. */
export const deniedByPolicy = (
  tool: Pick<ModelTool, 'name' | 'ref'>,
  { reason }: ToolPolicyVerdict,
): FittingsError => notCalled('POLICY_DENIED', tool, `The policy denies the call of ${tool.name}: ${reason}`);

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
