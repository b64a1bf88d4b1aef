import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { abortable, linkSignal } from '@mcp-fittings/client-core/timing';
import type { CallOptions, CatalogueTool, ToolRef, ToolResult } from '@mcp-fittings/host';
import type { ModelTool } from '../model-tool.js';
import type { ToolNames } from '../names/tool-names.js';
import type { ConfirmOutcome, Policy, PolicyTool } from '../permissions/policy.js';
import type { Decision, Verdict } from '../permissions/server-permissions.js';
import {
  isJsonObject,
  ordinaryObject,
  plainCopy,
  type JsonObject,
  type PlainLimits,
} from '../schema/plain-copy.js';
import { renderError, renderForModel } from '../results/render.js';
import type { RenderOptions } from '../results/rendering.js';
import { describeIssues } from '../validation/issue-text.js';
import type { SchemaIssue } from '../validation/raw-issue.js';
import type { SchemaChecker } from '../validation/schema-checker.js';
import { createProgressQueue } from './progress-queue.js';
import { argumentsText, questionText } from './question.js';
import type { LastToolEvent, ToolEvent } from './tool-event.js';

/** What is needed of a host. */
export interface ToolHost {
  tools(): readonly CatalogueTool[];
  /** What stands behind each server's name. Without it, approvals last as long as the policy. */
  readonly servers?: (() => readonly { readonly name: string; readonly identity: string }[]) | undefined;
  callTool(
    ref: ToolRef,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolResult>;
}

/**
 * A question for a person. `text` and `argsText` are fit to show: nothing in them is hidden or removed. `tool.title` and
 * `tool.definition` are the server's words.
 */
export interface ConfirmRequest {
  readonly tool: ModelTool;
  /** What is sent when the person agrees: a copy, which nothing changes after the question. */
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * The arguments as JSON in which control, invisible and direction-changing characters are escapes such as `\\u{202e}`.
   * At most 10 000 characters; each cut says how much is missing, and a long text begins with its length and the
   * names of its members.
   */
  readonly argsText: string;
  /** The whole question: tool, server, reason, arguments. */
  readonly text: string;
  /** Why there is a question. */
  readonly verdict: Verdict;
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal;
}

/** Asks a person. When it rejects, the call fails with `CALLBACK_FAILED`. */
export type Confirm = (request: ConfirmRequest) => Promise<ConfirmOutcome>;

export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without an answer or progress. Default: the host's. */
  readonly timeoutMs?: number | undefined;
}

/** How a call is made, and who is told of it. */
export interface RunOptions extends ToolCallOptions {
  /** Told of progress and partial texts before the result. When it throws, the call ends with `CALLBACK_FAILED`. */
  readonly onEvent?: ((event: Exclude<ToolEvent, LastToolEvent>) => void) | undefined;
}

/** What a call is made with. */
export interface CallContext {
  readonly host: ToolHost;
  readonly names: ToolNames;
  readonly find: (name: string) => ModelTool | undefined;
  readonly policy: Policy;
  readonly passThrough: Exclude<Decision, 'pass-through'>;
  readonly confirm: Confirm | undefined;
  readonly checker: SchemaChecker;
  readonly validateArguments: boolean;
  /** Larger arguments are not sent. */
  readonly argumentLimits: PlainLimits;
  readonly rendering: RenderOptions;
}

/**
 * One call, from the name that a model gave to a result or an error. It never throws. Leaving the loop early aborts
 * the call.
 */
export async function* callTool(
  context: CallContext,
  name: string,
  args: unknown,
  options: ToolCallOptions,
): AsyncGenerator<ToolEvent, void, undefined> {
  const link = linkSignal(options.signal);
  const { signal } = link;
  const queue = createProgressQueue();
  try {
    const call = await prepare(context, name, args, signal);
    const running = context.host
      .callTool(call.tool.ref, call.args, {
        signal,
        ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
        onProgress: (progress) => queue.push(progress),
      })
      .finally(() => queue.end());
    // It is awaited below, unless the loop was left before.
    running.catch(() => undefined);
    for (let open = true; open;) {
      await queue.changed();
      const events = queue.take();
      open = events.length > 0;
      yield* events;
    }
    const result = await running;
    const issues = await outputIssues(context.checker, call.tool, result);
    yield { type: 'result', result, issues, rendering: renderForModel(result, context.rendering) };
  } catch (thrown) {
    const error = asFittingsError(thrown, signal);
    yield { type: 'error', error, rendering: renderError(error) };
  } finally {
    queue.end();
    link.abort();
    link[Symbol.dispose]();
  }
}

/** The same for who wants to know how it ended. */
export async function runTool(
  context: CallContext,
  name: string,
  args: unknown,
  { onEvent, ...options }: RunOptions,
): Promise<LastToolEvent> {
  let failure: FittingsError;
  try {
    for await (const event of callTool(context, name, args, options)) {
      if (event.type === 'result' || event.type === 'error') return event;
      onEvent?.(event);
    }
    failure = new FittingsError('CALLBACK_FAILED', 'The call ended without a result.');
  } catch (cause) {
    failure = new FittingsError('CALLBACK_FAILED', 'The listener of the call failed.', { cause });
  }
  return { type: 'error', error: failure, rendering: renderError(failure) };
}

interface PreparedCall {
  readonly tool: ModelTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Finds the tool, checks the arguments, asks whether it may run. */
async function prepare(
  context: CallContext,
  name: string,
  args: unknown,
  signal: AbortSignal,
): Promise<PreparedCall> {
  const tool = context.find(name);
  if (tool === undefined) throw unknownName(name, context.names);
  const { server } = tool.ref;
  const given = plainArguments(tool, args, context.argumentLimits);
  const plain = tool.originalArguments(given);
  if (context.validateArguments) {
    const issues = await context.checker.check(tool.input, plain);
    if (issues.length > 0) throw invalidArguments(tool, describeIssues(issues));
  }
  // With ordinary prototypes, which servers in this process may rely on. It is what is shown and what is sent.
  const copy = ordinaryObject(plain);
  const subject = currentTool(context.host, tool);
  const verdict = context.policy.forTool(subject);
  const decision = verdict.decision === 'pass-through' ? context.passThrough : verdict.decision;
  if (decision === 'deny') {
    throw new FittingsError('POLICY_DENIED', `The call of ${tool.name} is denied: ${verdict.reason}`, {
      server,
      delivery: 'not-sent',
    });
  }
  if (decision === 'ask') await confirm(context, { tool, args: copy, verdict, signal }, subject);
  signal.throwIfAborted();
  return { tool, args: copy };
}

/** The arguments as data of our own: what is checked, shown and sent is the same, whatever the caller's object does. */
function plainArguments(tool: ModelTool, args: unknown, limits: PlainLimits): JsonObject {
  // A model that has nothing to say may leave the arguments away.
  const copy = plainCopy(args ?? {}, limits);
  if (copy.problem !== undefined) throw invalidArguments(tool, `the value ${copy.problem}`);
  if (!isJsonObject(copy.value)) throw invalidArguments(tool, 'they are not an object');
  return copy.value;
}

/** The tool as its server describes it now, which is what a call reaches. */
function currentTool(host: ToolHost, { ref, definition }: ModelTool): PolicyTool {
  const now = host.tools().find(({ server, name }) => server === ref.server && name === ref.tool);
  return { ...(now ?? definition), identity: identityOf(host, ref.server) };
}

function identityOf(host: ToolHost, server: string): string | undefined {
  return host.servers?.().find(({ name }) => name === server)?.identity;
}

async function confirm(
  context: CallContext,
  question: Omit<ConfirmRequest, 'argsText' | 'text'>,
  subject: PolicyTool,
): Promise<void> {
  const { tool, args, verdict } = question;
  const { server } = tool.ref;
  if (context.confirm === undefined) {
    throw new FittingsError(
      'APPROVAL_REQUIRED',
      `The call of ${tool.name} needs an approval, and there is no one to ask: ${verdict.reason}`,
      {
        server,
        delivery: 'not-sent',
        hint: 'The host has to allow the tool in its policy, or to pass `confirm`.',
      },
    );
  }
  const argsText = argumentsText(args);
  const { title, annotations } = tool.definition;
  const text = questionText({ ref: tool.ref, heading: title ?? annotations?.title, argsText, verdict });
  const outcome = await abortable(context.confirm({ ...question, argsText, text }), question.signal);
  if (outcome !== 'cancel') checkUnchanged(context.host, tool, subject);
  const siblings = (): readonly PolicyTool[] =>
    context.host
      .tools()
      .filter((each) => each.server === server)
      .map((each) => ({ ...each, identity: subject.identity }));
  const serverTools = outcome === 'always-server' ? siblings() : undefined;
  if (context.policy.answer(subject, outcome, serverTools)) return;
  throw new FittingsError('POLICY_DENIED', `The person did not allow the call of ${tool.name}.`, {
    server,
    delivery: 'not-sent',
  });
}

/** A person thinks for minutes: what was agreed to is not what another server or another tool gets. */
function checkUnchanged(host: ToolHost, tool: ModelTool, asked: PolicyTool): void {
  const now = currentTool(host, tool);
  if (now.digest === asked.digest && now.identity === asked.identity) return;
  throw new FittingsError(
    'APPROVAL_REQUIRED',
    `The tool ${tool.name} or its server changed while the question was open.`,
    {
      server: tool.ref.server,
      delivery: 'not-sent',
      hint: 'Call it again to be asked about what it is now.',
    },
  );
}

/** The result is there already: that it departs from its schema is told, and takes nothing away. */
async function outputIssues(
  checker: SchemaChecker,
  tool: ModelTool,
  result: ToolResult,
): Promise<readonly SchemaIssue[]> {
  if (tool.output === undefined || result.isError === true) return [];
  if (result.structuredContent === undefined) {
    return [{ path: [], message: 'the tool promised structured content and gave none' }];
  }
  try {
    return await checker.check(tool.output, result.structuredContent);
  } catch (error) {
    return [{ path: [], message: asFittingsError(error).message }];
  }
}

function unknownName(name: string, names: ToolNames): FittingsError {
  const near = names.nearest(name);
  const shown = sanitizeText(name, { maxLength: 128 });
  return new FittingsError('TOOL_UNKNOWN', `There is no tool named "${shown}".`, {
    delivery: 'not-sent',
    ...(near.length > 0 && { hint: `Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?` }),
  });
}

function invalidArguments(tool: ModelTool, problem: string): FittingsError {
  return new FittingsError('ARGUMENTS_INVALID', `The arguments of ${tool.name} are not valid: ${problem}.`, {
    server: tool.ref.server,
    delivery: 'not-sent',
    hint: 'Call it again with arguments that fit its schema.',
  });
}

function asFittingsError(thrown: unknown, signal?: AbortSignal): FittingsError {
  if (thrown instanceof FittingsError) return thrown;
  if (signal?.aborted === true)
    return new FittingsError('ABORTED', 'The call was given up.', { cause: thrown });
  return new FittingsError('CALLBACK_FAILED', 'The call failed inside of the host.', { cause: thrown });
}
