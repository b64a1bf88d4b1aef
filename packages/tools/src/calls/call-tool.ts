import { FittingsError, isRecord, sanitizeText } from '@mcp-fittings/client-core';
import type { CallOptions, CatalogueTool, ToolRef, ToolResult } from '@mcp-fittings/host';
import type { ModelTool } from '../model-tool.js';
import type { ToolNames } from '../names/tool-names.js';
import type { ConfirmOutcome, Policy } from '../permissions/policy.js';
import type { Decision, Verdict } from '../permissions/server-permissions.js';
import { boundedJson } from '../results/bounded-json.js';
import { renderError, renderForModel } from '../results/render.js';
import type { RenderOptions } from '../results/rendering.js';
import { describeIssues } from '../validation/issue-text.js';
import type { SchemaIssue } from '../validation/raw-issue.js';
import type { SchemaChecker } from '../validation/schema-checker.js';
import { createProgressQueue } from './progress-queue.js';
import type { ToolEvent } from './tool-event.js';

/** What is needed of a host. */
export interface ToolHost {
  tools(): readonly CatalogueTool[];
  callTool(
    ref: ToolRef,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolResult>;
}

/** A question for a person. All texts are free of control sequences; `tool.definition` has the server's own. */
export interface ConfirmRequest {
  readonly tool: ModelTool;
  readonly args: Readonly<Record<string, unknown>>;
  /** The arguments as JSON, to be shown. */
  readonly argsText: string;
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
  const abort = new AbortController();
  const signal =
    options.signal === undefined ? abort.signal : AbortSignal.any([options.signal, abort.signal]);
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
    abort.abort();
  }
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
  // A model that has nothing to say may leave the arguments away.
  const given = args ?? {};
  if (!isRecord(given)) throw invalidArguments(tool, 'they are not an object');
  if (context.validateArguments) {
    const issues = await context.checker.check(tool.input, given);
    if (issues.length > 0) throw invalidArguments(tool, describeIssues(issues));
  }
  const verdict = context.policy.forTool(tool.definition);
  const decision = verdict.decision === 'pass-through' ? context.passThrough : verdict.decision;
  if (decision === 'deny') {
    throw new FittingsError('POLICY_DENIED', `The call of ${tool.name} is denied: ${verdict.reason}`, {
      server,
      delivery: 'not-sent',
    });
  }
  if (decision === 'ask') await confirm(context, { tool, args: given, verdict, signal });
  signal.throwIfAborted();
  return { tool, args: given };
}

const LONGEST_ARGUMENTS = 10_000;

async function confirm(context: CallContext, question: Omit<ConfirmRequest, 'argsText'>): Promise<void> {
  const { tool, args, verdict } = question;
  const { server } = tool.ref;
  if (context.confirm === undefined) {
    throw new FittingsError(
      'APPROVAL_REQUIRED',
      `Nobody can be asked about ${tool.name}: ${verdict.reason}`,
      {
        server,
        delivery: 'not-sent',
        hint: 'The host has to allow the tool in its policy, or to pass `confirm`.',
      },
    );
  }
  const argsText = sanitizeText(boundedJson(args, LONGEST_ARGUMENTS), {
    maxLength: LONGEST_ARGUMENTS,
    multiline: true,
  });
  const outcome = await untilAborted(context.confirm({ ...question, argsText }), question.signal);
  if (context.policy.answer(tool.definition, outcome)) return;
  throw new FittingsError('POLICY_DENIED', `The person did not allow the call of ${tool.name}.`, {
    server,
    delivery: 'not-sent',
  });
}

async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new FittingsError('ABORTED', 'The call was given up.', { cause: signal.reason }));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
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
