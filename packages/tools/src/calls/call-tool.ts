import { AuthRequiredError, type Delivery, FittingsError } from '@mcp-fittings/client-core';
import type { RefusalPace } from '@mcp-fittings/toolbox/base-transport';
import { restateError } from '@mcp-fittings/toolbox/errors';
import { didYouMean, sanitizeText } from '@mcp-fittings/toolbox/text';
import { linkSignal } from '@mcp-fittings/toolbox/timing';
import type { Progress, ToolResult } from '@mcp-fittings/host';
import { copyJson, isJsonObject, type JsonLimits } from '../json/copy-json.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { PinGate } from '../pins/pin-gate.js';
import type { ToolNames } from '../names/tool-names.js';
import type { ToolPermission, ToolPolicyVerdict } from '../permissions/tool-permissions.js';
import type { PolicyTool, ToolPolicy } from '../permissions/tool-policy.js';
import { renderError, renderForModel } from '../results/render-result.js';
import type { RenderOptions } from '../results/rendering.js';
import { checkCopy, checkValue } from '../validation/check-value.js';
import { describeIssues, type SchemaIssue } from '../validation/schema-issues.js';
import type { ToolHost } from '../tool-host.js';
import { confirmCall, deniedByPolicy, notCalled, type Confirm } from './confirm-call.js';
import type { RenderedResult } from './result-spill.js';
import { ProgressQueue } from './progress-queue.js';
import type { LastToolEvent, ToolEvent } from './toolset.js';

/** Options of {@link Toolset.run} and {@link Toolset.call}. */
export interface ToolRunOptions {
  /** Aborts the call: it ends with `ABORTED`, and the server is told. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum time without a result or progress, in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
  /**
   * If true, the arguments have the names of the server's schema, as a program writes them, and not those of the schema for the model.
   * Default false.
   */
  readonly originalNames?: boolean | undefined;
  /**
   * Asks the user about this call, instead of `confirm` of the tools: a framework that asks by itself answers here. If it rejects
   * with a `FittingsError`, the call ends with that error. A question about a tool that changed since the user agreed to it goes to
   * `confirm` of `createTools` in any case, because a framework does not show what changed. Default: `confirm` of `createTools`.
   */
  readonly confirm?: Confirm | undefined;
  /** Members to add to `_meta` of the request, as `CallOptions.meta` of the host. Default: none. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Called with progress and partial text before the result. If it throws, the call ends with `CALLBACK_FAILED`. */
  readonly onEvent?: ((event: Exclude<ToolEvent, LastToolEvent>) => void) | undefined;
}

/** Dependencies that all calls of one toolset share. */
export interface ToolCallDeps {
  readonly host: ToolHost;
  /** The person whose tools these are. */
  readonly principal: string | undefined;
  readonly names: ToolNames;
  readonly find: (name: string) => ModelTool | undefined;
  readonly policy: ToolPolicy;
  /** Compares tools with what the person agreed to; undefined without pins. */
  readonly pins: PinGate | undefined;
  readonly defaultPermission: ToolPermission;
  readonly confirm: Confirm | undefined;
  readonly validateArguments: boolean;
  /** Spaces out the calls that fail: a loop that calls again at once must not keep timers and sockets from their turn. */
  readonly refusals: RefusalPace;
  /** Larger arguments are rejected, and larger structured content is an issue. */
  readonly valueLimits: JsonLimits;
  readonly rendering: RenderOptions;
  /** Renders results instead of `renderForModel`. */
  readonly render?:
    ((tool: ModelTool, result: ToolResult, signal: AbortSignal) => Promise<RenderedResult>) | undefined;
}

/** Calls a tool by the name that a model used. Does not throw; leaving the loop early aborts the call. */
export async function* callTool(
  deps: ToolCallDeps,
  name: string,
  args: unknown,
  options: Omit<ToolRunOptions, 'onEvent'>,
): AsyncGenerator<ToolEvent, void, undefined> {
  using link = linkSignal(options.signal);
  const queue = new ProgressQueue();
  try {
    const last = performCall(deps, name, args, {
      ...options,
      signal: link.signal,
      onProgress: (progress) => queue.push(progress),
    }).finally(() => queue.end());
    for (let open = true; open;) {
      await queue.changed();
      const events = queue.take();
      open = events.length > 0;
      yield* events;
    }
    yield await last;
  } finally {
    queue.end();
    link.abort();
  }
}

/** Calls a tool and resolves with the last event. Does not reject. */
export async function runTool(
  deps: ToolCallDeps,
  name: string,
  args: unknown,
  { onEvent, ...options }: ToolRunOptions,
): Promise<LastToolEvent> {
  if (onEvent === undefined) {
    const { signal = new AbortController().signal } = options;
    // Progress extends the time limit, so that the server is asked for it.
    return performCall(deps, name, args, { ...options, signal, onProgress: () => undefined });
  }
  let failure: FittingsError;
  try {
    for await (const event of callTool(deps, name, args, options)) {
      if (event.type === 'result' || event.type === 'error') return event;
      onEvent(event);
    }
    failure = new FittingsError('CALLBACK_FAILED', 'The call ended without a result.');
  } catch (cause) {
    failure = new FittingsError('CALLBACK_FAILED', 'The onEvent callback of the call threw an error.', {
      cause,
      delivery: 'unknown',
    });
  }
  return { type: 'error', error: failure, rendering: renderError(failure) };
}

/** Makes a call, from its name to the event that ends it. Does not reject. */
async function performCall(
  deps: ToolCallDeps,
  name: string,
  args: unknown,
  options: ToolRunOptions & {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: Progress) => void;
  },
): Promise<LastToolEvent> {
  const { signal, onProgress } = options;
  let delivery: Delivery = 'not-sent';
  try {
    const call = await prepare(deps, name, args, options);
    delivery = 'unknown';
    const result = await deps.host.callTool(call.tool.ref, call.args, {
      signal,
      ...(deps.principal !== undefined && { principal: deps.principal }),
      ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
      ...(options.meta !== undefined && { meta: options.meta }),
      onProgress,
    });
    const issues = outputIssues(call.tool, result, deps.valueLimits);
    const rendered = await deps.render?.(call.tool, result, signal);
    return {
      type: 'result',
      result,
      issues,
      ...(rendered ?? { rendering: renderForModel(result, deps.rendering) }),
    };
  } catch (thrown) {
    return failCall(deps, thrown, delivery, signal);
  }
}

/** Ends a call that failed when it had got as far as `delivery`. Does not reject. */
export async function failCall(
  { refusals }: ToolCallDeps,
  thrown: unknown,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<LastToolEvent> {
  const error = callError(thrown, delivery, signal);
  await new Promise<void>((resolve) => refusals.run(resolve));
  return { type: 'error', error, rendering: renderError(error) };
}

interface PreparedCall {
  readonly tool: ModelTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Finds the tool, checks the arguments, and asks whether it may run. */
async function prepare(
  deps: ToolCallDeps,
  name: string,
  args: unknown,
  { signal, originalNames, confirm }: ToolRunOptions & { readonly signal: AbortSignal },
): Promise<PreparedCall> {
  const { host, principal } = deps;
  const tool = deps.find(name);
  if (tool === undefined) throw unknownTool(name, deps.names);
  // A model may omit empty arguments. What is checked, shown and sent is a copy, even if the caller changes its object.
  const given = copyJson(args ?? {}, deps.valueLimits);
  if (given.problem !== undefined) throw invalidArguments(tool, `the value ${given.problem}`);
  if (!isJsonObject(given.value)) throw invalidArguments(tool, 'they are not an object');
  const original = originalNames === true ? given.value : tool.originalArguments(given.value);
  if (deps.validateArguments) {
    const issues =
      original === given.value
        ? checkCopy(tool.input, given)
        : checkValue(tool.input, original, deps.valueLimits);
    if (issues.length > 0) throw invalidArguments(tool, describeIssues(issues));
  }
  // In-process servers may rely on ordinary prototypes.
  const copy = structuredClone(original);
  // What the call relies on is stored, and it is what another process stored first.
  await deps.pins?.settled(tool.ref.server);
  const current = currentTool(deps, tool);
  const permission = deps.policy.forTool(current);
  // A question about a change replaces any other; a denial goes first.
  const change = permission.decision === 'deny' ? undefined : deps.pins?.question(tool, current);
  const verdict = change?.verdict ?? permission;
  const decision = decisionOf(deps, verdict);
  if (decision === 'deny') throw deniedByPolicy(tool, verdict);
  if (decision === 'ask') {
    // Only `confirm` of the tools shows what changed.
    const ask = change === undefined ? (confirm ?? deps.confirm) : deps.confirm;
    if (ask === undefined) throw needsConfirm(tool, verdict);
    const { title, annotations } = change?.tool ?? tool.definition;
    await confirmCall(
      {
        ref: tool.ref,
        name: tool.name,
        title: title ?? annotations?.title,
        args: copy,
        asked: current,
        verdict,
        signal,
        change,
      },
      {
        policy: deps.policy,
        currentTool: () => currentTool(deps, tool),
        serverTools: () => (deps.pins === undefined ? host.tools({ principal }) : deps.pins.agreed()),
        ask: (shown) =>
          ask({
            tool,
            args: copy,
            verdict,
            signal,
            digest: current.digest,
            ...(change !== undefined && { change }),
            ...shown,
          }),
      },
    );
  }
  signal.throwIfAborted();
  return { tool, args: copy };
}

/** Returns what happens to a call of this tool now, and why. Undefined if no tool has this name. */
export function toolVerdict(
  deps: ToolCallDeps,
  name: string,
): (ToolPolicyVerdict & { readonly decision: ToolPermission }) | undefined {
  const tool = deps.find(name);
  if (tool === undefined) return undefined;
  const verdict = deps.policy.forTool(currentTool(deps, tool));
  return { ...verdict, decision: decisionOf(deps, verdict) };
}

function decisionOf(deps: ToolCallDeps, { decision }: ToolPolicyVerdict): ToolPermission {
  return decision === 'pass-through' ? deps.defaultPermission : decision;
}

/** Returns the tool as its server describes it now, because that is the tool that a call reaches. */
function currentTool({ host, principal }: ToolCallDeps, { ref, definition }: ModelTool): PolicyTool {
  const identity = host.servers().find(({ name }) => name === ref.server)?.identity;
  return { ...(host.tool(ref, { principal }) ?? definition), identity, principal };
}

/** Checks the structured content. The result has arrived already, so that a mismatch is reported and is not an error. */
function outputIssues(tool: ModelTool, result: ToolResult, limits: JsonLimits): readonly SchemaIssue[] {
  if (tool.output === undefined || result.isError === true) return [];
  if (result.structuredContent === undefined) {
    return [{ path: [], message: 'the tool has an output schema but returned no structured content' }];
  }
  return checkValue(tool.output, result.structuredContent, limits);
}

function unknownTool(name: string, names: ToolNames): FittingsError {
  const known = Array.from(names.entries(), ([each]) => each);
  const shown = sanitizeText(name, { maxLength: 128 });
  return new FittingsError('TOOL_UNKNOWN', `There is no tool named "${shown}".`, {
    delivery: 'not-sent',
    hint: didYouMean(name, known, '') || undefined,
  });
}

function needsConfirm(tool: ModelTool, { reason }: ToolPolicyVerdict): FittingsError {
  return notCalled(
    'APPROVAL_REQUIRED',
    tool,
    `The tool ${tool.name} requires confirmation, but the host has no confirm callback: ${reason}`,
    'Allow the tool in the policy, or pass `confirm` to createTools().',
  );
}

function invalidArguments(tool: ModelTool, problem: string): FittingsError {
  return notCalled(
    'ARGUMENTS_INVALID',
    tool,
    `The arguments of ${tool.name} are invalid: ${problem}.`,
    'Call the tool again with arguments that match its schema.',
  );
}

function callError(thrown: unknown, delivery: Delivery, signal: AbortSignal): FittingsError {
  if (thrown instanceof FittingsError) {
    const isKnown = delivery !== 'not-sent' || thrown.delivery !== undefined;
    return isKnown || thrown instanceof AuthRequiredError ? thrown : restateError(thrown, { delivery });
  }
  if (signal.aborted)
    return new FittingsError('ABORTED', 'The call was aborted.', { cause: thrown, delivery });
  return new FittingsError(
    'CALLBACK_FAILED',
    'The call failed with an unexpected error in the host program.',
    { cause: thrown, delivery },
  );
}
