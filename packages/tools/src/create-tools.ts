import { FittingsError } from '@mcp-fittings/client-core';
import { RefusalPace } from '@mcp-fittings/toolbox/base-transport';
import { checkOptions, kindOf, type OptionNames } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { callTool, runTool, toolVerdict, type ToolCallDeps } from './calls/call-tool.js';
import type { Confirm } from './calls/confirm-call.js';
import type { ResultSpill } from './calls/result-spill.js';
import { SpilledCalls } from './calls/spilled-calls.js';
import type { Toolset } from './calls/toolset.js';
import { Deferral } from './deferral/deferral.js';
import { DEFAULT_MAX_LOADED, readDefer, type DeferOptions } from './deferral/defer-options.js';
import { RESERVED_NAMES } from './deferral/search-tool.js';
import { createToolConversation, type ToolConversation } from './deferral/tool-conversation.js';
import { createToolNaming, forSameList, type PreparedTool } from './model-tools/model-tool.js';
import { createToolOffer, type OfferedTools, type SkippedTool } from './model-tools/offered-tools.js';
import { type NamingStrategy, nameTools } from './names/tool-names.js';
import type { NameLimits } from './names/shorten-name.js';
import type { ToolPermission } from './permissions/tool-permissions.js';
import { createToolPolicy, type ToolPolicy } from './permissions/tool-policy.js';
import { PinGate, type HostPins } from './pins/pin-gate.js';
import type { ToolPins } from './pins/tool-pins.js';
import type { RenderOptions } from './results/rendering.js';
import type { SchemaLimits } from './schema/schema-limits.js';
import type { ToolHost } from './tool-host.js';
import { CHECKED_VALUE_LIMITS } from './validation/check-value.js';

/** Options of {@link createTools}. */
export interface ToolsOptions {
  /** Names the tools for the model. Default `naming.mcpPrefixed`: `mcp__server__tool`. */
  readonly naming?: NamingStrategy | undefined;
  /** Limits of the model API for names. Longer names are shortened. Default `nameLimits.portable`, which fits all APIs. */
  readonly nameLimits?: NameLimits | undefined;
  /**
   * The person for whom the tools are and run: `principal` of the calls of the host. What this person approved is not approved for
   * another one, also if they share a `policy`. Default: that of the host.
   */
  readonly principal?: string | undefined;
  /** Decides which tools may run. Default: a policy without rules, so that `defaultPermission` decides. */
  readonly policy?: ToolPolicy | undefined;
  /** Permission for a call that no rule of the policy applies to. Default `ask`. */
  readonly defaultPermission?: ToolPermission | undefined;
  /**
   * Keeps what the user agreed to: `createToolPins()` of `@mcp-fittings/tools/pins`. A tool that changed or was added since its server was
   * first used is then not called before the user agrees. Default: none.
   */
  readonly pins?: ToolPins | undefined;
  /** Asks the user. Without it, a call that requires confirmation fails with `APPROVAL_REQUIRED`. */
  readonly confirm?: Confirm | undefined;
  /** If true, arguments are checked before they are sent. Default true. Arguments beyond `valueLimits` are rejected in any case. */
  readonly validateArguments?: boolean | undefined;
  /** The largest schema that is accepted. A tool with a larger one is in {@link Toolset.skipped}. */
  readonly schemaLimits?: Partial<SchemaLimits> | undefined;
  /** The largest list of tools that is accepted from one server. Tools beyond it are in {@link Toolset.skipped}. */
  readonly listLimits?:
    | {
        /** Maximum number of tools. Default 10 000. */
        readonly maxTools?: number;
        /** Maximum number of JSON values in all schemas together. Default 1 000 000: a tool of a real server has 61. */
        readonly maxNodes?: number;
        /** Maximum characters of all schemas together. Default 40 000 000: a tool of a real server has 1 900. */
        readonly maxCharacters?: number;
      }
    | undefined;
  /**
   * If true, tools that the policy denies are hidden from the model, and are in {@link Toolset.skipped}. Default false: the model sees
   * them, and a call fails with `POLICY_DENIED`.
   */
  readonly skipDenied?: boolean | undefined;
  /** If true, the model is offered tools that a server marks for its app and not for models (SEP-1865). Default false. */
  readonly includeAppTools?: boolean | undefined;
  /** Offers the model a search for tools instead of all tools at once. Default `never`. */
  readonly defer?: DeferOptions['mode'] | DeferOptions;
  /**
   * The largest arguments and structured content. Larger arguments are rejected, and larger content is an issue of its result.
   * Default: 64 levels, 100 000 values, 16 000 000 characters.
   */
  readonly valueLimits?: Partial<Pick<SchemaLimits, 'maxDepth' | 'maxNodes' | 'maxCharacters'>> | undefined;
  /** Limits the part of a result that the model gets. */
  readonly rendering?: RenderOptions | undefined;
  /** Keeps results that are too large for the model, see `createSpill` of `@mcp-fittings/tools/spill`. Default: they are truncated. */
  readonly spill?: ResultSpill | undefined;
}

const OPTIONS: OptionNames<ToolsOptions> = {
  naming: true,
  nameLimits: true,
  principal: true,
  policy: true,
  defaultPermission: true,
  pins: true,
  confirm: true,
  validateArguments: true,
  schemaLimits: true,
  listLimits: true,
  skipDenied: true,
  includeAppTools: true,
  defer: true,
  valueLimits: true,
  rendering: true,
  spill: true,
};

/** The tools of a host for models. Close it when you close the host, because `spill` may keep results for it. */
export interface Tools extends AsyncDisposable {
  /**
   * Returns the tools that the host has now. Take one snapshot per turn of the model, and run the calls of the turn with it: a
   * name then means the tool that the model was shown, even if a server has come or gone. Tools that have not changed are not
   * converted again.
   * @param conversation What the model has loaded, if tools are deferred, and whose large results it reads, with `spill`. Without it,
   * what a search loads is offered by this toolset only, in {@link Toolset.activeTools}, and all toolsets without one read the same
   * results.
   */
  snapshot(conversation?: ToolConversation): Toolset;
  /**
   * Creates a conversation for {@link snapshot}: it remembers which deferred tools were loaded, and keeps the large results of
   * conversations apart. It has no effect without `defer` and `spill`.
   * @param saved A parsed result of {@link ToolConversation.toJSON}. Default: a new conversation.
   * @throws {FittingsError} `CONFIG_INVALID` if `saved` is malformed.
   */
  conversation(saved?: unknown): ToolConversation;
  /** The policy that decides which tools may run. */
  readonly policy: ToolPolicy;
  /** Changes of the servers since the user agreed to them. Undefined without the option `pins`. */
  readonly pins: HostPins | undefined;
  /** Removes what `spill` kept for these tools alone. `await using` does the same. */
  close(): Promise<void>;
}

/**
 * Makes the tools of all servers of a host available to a model: valid names, repaired schemas, permissions, checked arguments
 * and safe results.
 * @param host The host whose servers have the tools. It stays open when the tools are closed.
 * @throws {FittingsError} `CONFIG_INVALID` if `host` is not a host, or an option is unknown or invalid, and from {@link Tools.snapshot} if `nameLimits` is.
 * @example One call, without a model
 * ```ts
 * import { createHost } from '@mcp-fittings/host';
 * import { createToolPolicy, createTools } from '@mcp-fittings/tools';
 * import { stdio } from '@mcp-fittings/transport-stdio';
 *
 * await using host = createHost({ name: 'my-agent', version: '1.0.0', transports: [stdio()] });
 * const servers = {
 *   demo: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'], allowedTools: ['echo'] },
 * };
 * await host.connect(servers);
 *
 * await using tools = createTools(host, { policy: createToolPolicy({ servers }) });
 * const { rendering } = await tools.snapshot().run('mcp__demo__echo', { message: 'hi' });
 * console.log(rendering.text); // Echo: hi
 * ```
 * @example Ask the user before a tool runs
 * ```ts
 * import { createInterface } from 'node:readline/promises';
 *
 * const terminal = createInterface({ input: process.stdin, output: process.stdout });
 * const tools = createTools(host, {
 *   confirm: async ({ text, signal }) =>
 *     (await terminal.question(`${text}\nRun it? (y/n) `, { signal })) === 'y' ? 'once' : 'cancel',
 * });
 * ```
 * @example One turn of a model, here with the Messages API of Anthropic
 * ```ts
 * const offered = tools.snapshot();
 * const { content } = await anthropic.messages.create({
 *   model: 'claude-sonnet-5-5',
 *   max_tokens: 4096,
 *   messages,
 *   tools: anthropicTools(offered.tools),
 * });
 * for (const block of content) {
 *   if (block.type !== 'tool_use') continue;
 *   const { rendering } = await offered.run(block.name, block.input);
 *   results.push(anthropicToolResult(block.id, rendering));
 * }
 * ```
 */
export function createTools(host: ToolHost, options: ToolsOptions = {}): Tools {
  checkHost(host);
  checkOptions('createTools()', options, OPTIONS);
  const {
    policy = createToolPolicy(),
    defaultPermission = 'ask',
    validateArguments = true,
    rendering = {},
    principal,
  } = options;
  const offer = forSameList(createToolOffer(options));
  const defer = readDefer(options.defer);
  const reserved = defer === undefined ? [] : RESERVED_NAMES;
  const pins = options.pins === undefined ? undefined : new PinGate(host, options.pins, principal);
  const instructions = pins && (() => pins.instructions());
  const deferral = defer && new Deferral(defer, host, principal, instructions);
  const nameTool = createToolNaming();
  const nameAll = forSameList((offered: readonly PreparedTool[]) => {
    const names = nameTools(
      offered.map(({ ref }) => ref),
      options,
      reserved,
    );
    const tools = offered
      .map((tool) => nameTool(tool, names.nameOf(tool.ref) ?? ''))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { names, tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
  });
  const largeResults = options.spill?.open({ principal });
  const spilled = largeResults && new SpilledCalls(largeResults);
  const refusals = new RefusalPace();
  const close = async (): Promise<void> => {
    await largeResults?.close();
  };

  return {
    policy,
    pins,
    conversation: (saved) => createToolConversation(defer?.maxLoaded ?? DEFAULT_MAX_LOADED, saved),
    snapshot(conversation) {
      const all = pins === undefined ? offer(host.tools({ principal })) : pins.offer(offer);
      const { offered, skipped } = options.skipDenied === true ? withoutDenied(all, policy) : all;
      const { names, tools, byName } = nameAll(offered);
      const plain: ToolCallDeps = {
        host,
        principal,
        names,
        find: (name) => byName.get(name),
        policy,
        pins,
        defaultPermission,
        confirm: options.confirm,
        validateArguments,
        refusals,
        valueLimits: { ...CHECKED_VALUE_LIMITS, ...options.valueLimits },
        rendering,
      };
      const deps = spilled?.keep(plain, tools, conversation?.id) ?? plain;
      const toolset: Toolset = {
        tools,
        deferred: [],
        skipped,
        names,
        activeTools: () => tools,
        call: (name, args, callOptions = {}) => callTool(deps, name, args, callOptions),
        run: (name, args, runOptions = {}) => runTool(deps, name, args, runOptions),
        verdict: (name) => toolVerdict(deps, name),
      };
      const searched = deferral?.apply(toolset, conversation) ?? toolset;
      return spilled?.addReader(searched, plain, tools, conversation?.id) ?? searched;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A program without types may forget the host. */
function checkHost(host: unknown): void {
  if (isRecord(host) && typeof host['tools'] === 'function' && typeof host['callTool'] === 'function') return;
  throw new FittingsError(
    'CONFIG_INVALID',
    `The first argument of createTools() must be a host, not ${kindOf(host)}.`,
    { hint: 'Pass the result of createHost().', delivery: 'not-sent' },
  );
}

function withoutDenied({ offered, skipped }: OfferedTools, policy: ToolPolicy): OfferedTools {
  const denied = new Map<PreparedTool, SkippedTool>();
  for (const tool of offered) {
    const { decision, reason } = policy.forTool(tool.definition);
    if (decision !== 'deny') continue;
    const error = new FittingsError('POLICY_DENIED', reason, { server: tool.ref.server });
    denied.set(tool, { ref: tool.ref, error });
  }
  return {
    offered: offered.filter((tool) => !denied.has(tool)),
    skipped: [...skipped, ...denied.values()],
  };
}
