import {
  callTool,
  runTool,
  type CallContext,
  type Confirm,
  type RunOptions,
  type ToolCallOptions,
  type ToolHost,
} from './calls/call-tool.js';
import type { LastToolEvent, ToolEvent } from './calls/tool-event.js';
import { FittingsError } from '@mcp-fittings/client-core';
import { nameTool, type ModelTool, type PreparedTool } from './model-tool.js';
import { createToolNames, type ToolNames, type ToolNamesOptions } from './names/tool-names.js';
import { createToolPolicy, type ToolPolicy } from './permissions/tool-policy.js';
import type { ToolPermission } from './permissions/tool-permissions.js';
import {
  createPreparer,
  type SkippedTool,
  type PreparedTools,
  type ToolListLimits,
} from './offered-tools.js';
import type { RenderOptions } from './results/rendering.js';
import type { SchemaLimits } from './schema/schema-limits.js';
import {
  CHECKED_VALUE_LIMITS,
  createSchemaChecker,
  type SchemaCheckerOptions,
} from './validation/schema-checker.js';

export interface ToolsOptions extends ToolNamesOptions {
  /** Which tools may run. Default: a policy without rules, so that everything is a matter of `defaultPermission`. */
  readonly policy?: ToolPolicy | undefined;
  /** What a tool gets about which no rule says anything. Default `ask`. */
  readonly defaultPermission?: ToolPermission | undefined;
  /** Asks a person. Without it, what would have to be asked fails with `APPROVAL_REQUIRED`. */
  readonly confirm?: Confirm | undefined;
  /** Check arguments before they are sent. Default true. Those beyond `validation.limits` are refused in any case. */
  readonly validateArguments?: boolean | undefined;
  /** What a schema may cost before it is refused. */
  readonly schemaLimits?: Partial<SchemaLimits> | undefined;
  /** What the tools of one server may need together; those beyond are skipped. */
  readonly listLimits?: Partial<ToolListLimits> | undefined;
  /** Offer no tool that the policy denies: it is in {@link Toolset.skipped} instead. Default false. */
  readonly skipDenied?: boolean | undefined;
  /** Offer tools that a server marks for its app and not for models. Default false. */
  readonly includeAppTools?: boolean | undefined;
  /** What a check may cost. */
  readonly validation?: SchemaCheckerOptions | undefined;
  readonly rendering?: RenderOptions | undefined;
}

/** The tools of a host for models. Lives as long as the host; close it, for it may hold a thread. */
export interface Tools extends AsyncDisposable {
  /** The tools as they are now, under names that mean the same as long as the toolset is used. */
  snapshot(): Toolset;
  readonly policy: ToolPolicy;
  /** Ends the thread, if there is one. Calls that still need it end with `ABORTED`. The same as `await using`. */
  close(): Promise<void>;
}

/**
 * What a model sees in one turn. Names are resolved by the toolset whose definitions the model was given: a name never
 * comes to mean another tool because a server came or went in between.
 */
export interface Toolset {
  /** In the order of their names, so that a prompt does not depend on which server came first. */
  readonly tools: readonly ModelTool[];
  /** Tools that can not be offered, each with the reason. */
  readonly skipped: readonly SkippedTool[];
  readonly names: ToolNames;
  /**
   * Calls a tool by its name. The events end with one `result` or one `error`; nothing is thrown. Nothing happens before
   * the first event is asked for, and leaving the loop aborts the call.
   */
  call(name: string, args?: unknown, options?: ToolCallOptions): AsyncGenerator<ToolEvent, void, undefined>;
  /** Calls a tool by its name and resolves with the last event. It does not reject. */
  run(name: string, args?: unknown, options?: RunOptions): Promise<LastToolEvent>;
}

/** Makes the tools of all servers of a host ready for a model. */
export function createTools(host: ToolHost, options: ToolsOptions = {}): Tools {
  const {
    policy = createToolPolicy(),
    defaultPermission = 'ask',
    validateArguments = true,
    rendering = {},
  } = options;
  const checker = createSchemaChecker(options.validation);
  const prepare = createPreparer(options);
  const close = async (): Promise<void> => checker[Symbol.asyncDispose]();

  return {
    policy,
    snapshot() {
      const prepared = prepare(host.tools());
      const { good, skipped } = options.skipDenied === true ? withoutDenied(prepared, policy) : prepared;
      const refs = good.map(({ ref }) => ref);
      const names = createToolNames(refs, options);
      const tools = good
        .map((tool) => nameTool(tool, names.nameOf(tool.ref) ?? ''))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      const context: CallContext = {
        host,
        names,
        find: (name) => byName.get(name),
        policy,
        defaultPermission,
        confirm: options.confirm,
        checker,
        validateArguments,
        argumentLimits: { ...CHECKED_VALUE_LIMITS, ...options.validation?.limits },
        rendering,
      };
      return {
        tools,
        skipped,
        names,
        call: (name, args, callOptions = {}) => callTool(context, name, args, callOptions),
        run: (name, args, runOptions = {}) => runTool(context, name, args, runOptions),
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function withoutDenied({ good, skipped }: PreparedTools, policy: ToolPolicy): PreparedTools {
  const denied = new Map<PreparedTool, SkippedTool>();
  for (const tool of good) {
    const { decision, reason } = policy.forTool(tool.definition);
    if (decision !== 'deny') continue;
    const error = new FittingsError('POLICY_DENIED', reason, { server: tool.ref.server });
    denied.set(tool, { ref: tool.ref, error });
  }
  return { good: good.filter((tool) => !denied.has(tool)), skipped: [...skipped, ...denied.values()] };
}
