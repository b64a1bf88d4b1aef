import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { canonicalJson, sanitizeText } from '@mcp-fittings/toolbox/text';
import { backoffDelay } from '@mcp-fittings/toolbox/timing';
import type {
  CatalogPrompt,
  CatalogResource,
  CatalogResourceTemplate,
  CatalogTool,
  ListKind,
  Listings,
  ListResult,
  ToolChanges,
  ToolDefinition,
} from '../contracts/catalog.js';
import type { EngineSession } from '../contracts/engine.js';
import type { ServerSnapshot } from '../contracts/state.js';
import { readList } from '../engine/list-pages.js';
import { LIST_KINDS } from '../engine/validate-list-entry.js';
import type { ServerDeps } from '../setup/server-deps.js';
import { digestOf } from '../json-values.js';

/** The lists of one server. */
export interface Lists {
  tools: readonly CatalogTool[];
  prompts: readonly CatalogPrompt[];
  resources: readonly CatalogResource[];
  resourceTemplates: readonly CatalogResourceTemplate[];
}

export interface ServerCatalogDeps {
  readonly onRead: (kind: ListKind) => void;
  readonly onToolsChanged: (changes: ToolChanges) => void;
  /** Returns whether this is the session of the current connection. Failures of another one are ignored. */
  readonly isCurrent: (session: EngineSession) => boolean;
  /** Called when a list could not be read; the connection stays. */
  readonly onFailed: (error: FittingsError) => void;
  /** Called when a list requires a sign-in. */
  readonly onAuthRequired: (error: AuthRequiredError) => void;
  /** Called when entries were left out. */
  readonly onSkipped: (kind: ListKind, reasons: readonly string[]) => void;
}

/** Reports of changes within this time count as one, in milliseconds. */
const DEBOUNCE_MS = 250;
/**
 * Longest delay before a list is read again, in milliseconds: the delay doubles while the list keeps changing. It returns to
 * {@link DEBOUNCE_MS} after {@link QUIET_TIMES} times the last delay without a change.
 */
const MAX_DEBOUNCE_MS = 10_000;
const QUIET_TIMES = 4;
/** Least time that a list counts as fresh, in milliseconds, so that one that is used all the time is not read all the time. */
const LEAST_TTL_MS = 1000;
type ListStatus = ServerSnapshot['lists'][ListKind];
const NOT_READ: ListStatus = { error: undefined, skipped: [] };
/** One notification is about both. */
const RESOURCE_LISTS = ['resources', 'resourceTemplates'] as const;

type Shared = Pick<
  ServerDeps,
  'server' | 'clock' | 'random' | 'limits' | 'tracer' | 'listBudget' | 'interception'
>;

/** The lists of one server. They are read after the handshake, and again whenever they may have changed. */
export class ServerCatalog {
  readonly #shared: Shared;
  readonly #deps: ServerCatalogDeps;
  readonly #lists: Lists = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
  readonly #status: Record<ListKind, ListStatus> = {
    tools: NOT_READ,
    prompts: NOT_READ,
    resources: NOT_READ,
    resourceTemplates: NOT_READ,
  };
  readonly #timers = new Map<ListKind, { readonly at: number; readonly timer: Disposable }>();
  readonly #staleAt = new Map<ListKind, number>();
  /** Consecutive failures of each list. */
  readonly #failures = new Map<ListKind, number>();
  /** Bytes of the budget that each list takes. */
  readonly #held = new Map<ListKind, number>();
  /** Number of readings of each list. The result of a reading is discarded if a later one has started. */
  readonly #readings = new Map<ListKind, number>();
  readonly #publicLists = new Set<ListKind>();
  readonly #reading = new Set<ListKind>();
  readonly #changedMeanwhile = new Set<ListKind>();
  /** Time when each list was, or will be, read because of a change, and the delay before it. */
  readonly #pace = new Map<ListKind, { readonly at: number; readonly delay: number }>();
  /** The tools by name, created when one is asked for. */
  #byName: { readonly tools: Lists['tools']; readonly map: ReadonlyMap<string, CatalogTool> } | undefined;
  /** True if tools were listed or restored before, so that others are a change. */
  #isKnown = false;

  constructor(shared: Shared, deps: ServerCatalogDeps) {
    this.#shared = shared;
    this.#deps = deps;
  }

  get lists(): Readonly<Lists> {
    return this.#lists;
  }

  /** Result of the last reading of each list. */
  get status(): Readonly<Record<ListKind, ListStatus>> {
    return this.#status;
  }

  /** True if the server declares all of its lists public. */
  get isPublic(): boolean {
    return this.#publicLists.size === LIST_KINDS.length;
  }

  /** Time at which the first of the lists is stale, by the host's clock; undefined if no list says so. */
  get staleAt(): number | undefined {
    return this.#staleAt.size === 0 ? undefined : Math.min(...this.#staleAt.values());
  }

  /** Returns the tool with this name. */
  tool(name: string): CatalogTool | undefined {
    const { tools } = this.#lists;
    // An interceptor may have listed a name twice: the first one counts, as for those who go through the list.
    if (this.#byName?.tools !== tools)
      this.#byName = { tools, map: new Map(tools.toReversed().map((tool) => [tool.name, tool])) };
    return this.#byName.map.get(name);
  }

  /**
   * Reads every list. Rejects if the tools could not be listed, or if the user has to sign in. A failure of another list is
   * reported, and the list is read again later, so that it does not cost the tools.
   */
  async readAll(session: EngineSession, signal: AbortSignal): Promise<void> {
    this.#forgetTimers();
    const results = await Promise.allSettled(LIST_KINDS.map((kind) => this.#read(kind, session, signal)));
    const failures = results.flatMap((result, index) => {
      const kind = LIST_KINDS[index];
      return kind === undefined || result.status === 'fulfilled'
        ? []
        : [{ kind, cause: result.reason as unknown }];
    });
    // Nothing works until the user has signed in.
    const signIn = failures.find(({ cause }) => cause instanceof AuthRequiredError);
    if (signIn !== undefined) throw signIn.cause;
    for (const { kind, cause } of failures) {
      // The first one, if it is among them.
      if (kind === 'tools') throw this.#note(kind, cause);
      this.#failed(kind, cause, session);
    }
  }

  /** Call it when the server reports a changed list: reads it soon, once for a burst of reports. */
  changed(kind: 'tools' | 'prompts' | 'resources', session: EngineSession): void {
    for (const changed of kind === 'resources' ? RESOURCE_LISTS : [kind]) {
      if (this.#reading.has(changed)) this.#changedMeanwhile.add(changed);
      else if (!this.#timers.has(changed)) this.#readLater(changed, session, this.#delayOf(changed));
    }
  }

  /** Call it when any list may have changed: reads all of them soon. */
  changedAll(session: EngineSession): void {
    for (const kind of LIST_KINDS) this.#readLater(kind, session, this.#delayOf(kind));
  }

  /** Reads lists whose time to live has passed. Cheap if there are none. */
  refreshStale(session: EngineSession): void {
    if (this.#staleAt.size === 0) return;
    const now = this.#shared.clock.now();
    for (const [kind, at] of this.#staleAt) {
      if (at > now) continue;
      this.#staleAt.delete(kind);
      this.#readLater(kind, session, 0);
    }
  }

  /** Sets the lists, from the cache. */
  restore(lists: Lists): void {
    Object.assign(this.#lists, lists);
    this.#isKnown = true;
  }

  /** Cancels pending readings and keeps the lists. */
  pause(): void {
    this.#changedMeanwhile.clear();
    this.#forgetTimers();
    this.#staleAt.clear();
    this.#failures.clear();
    // Results that arrive later belong to a connection that has ended.
    for (const kind of LIST_KINDS) this.#readings.set(kind, (this.#readings.get(kind) ?? 0) + 1);
  }

  /** Returns the bytes of the lists to the budget. */
  dispose(): void {
    for (const bytes of this.#held.values()) this.#shared.listBudget.giveBack(bytes);
    this.#held.clear();
  }

  async #read(kind: ListKind, session: EngineSession, signal?: AbortSignal): Promise<void> {
    const { server, clock, tracer, listBudget } = this.#shared;
    const turn = (this.#readings.get(kind) ?? 0) + 1;
    this.#readings.set(kind, turn);
    const list = (): Promise<ListResult<ListKind>> => this.#intercepted(kind, session, signal);
    const {
      items,
      skipped,
      ttlMs,
      isPublic = false,
      bytes = 0,
    } = await tracer.trace('refresh', { server, kind }, list);
    if (this.#readings.get(kind) !== turn) {
      listBudget.giveBack(bytes);
      return;
    }
    if (isPublic) this.#publicLists.add(kind);
    else this.#publicLists.delete(kind);
    listBudget.giveBack(this.#held.get(kind) ?? 0);
    this.#held.set(kind, bytes);
    this.#failures.delete(kind);
    const freshUntil = ttlMs === undefined ? undefined : clock.now() + Math.max(ttlMs, LEAST_TTL_MS);
    this.#status[kind] = { error: undefined, skipped, isPublic, freshUntil };
    if (freshUntil === undefined) this.#staleAt.delete(kind);
    else this.#staleAt.set(kind, freshUntil);
    if (skipped.length > 0) this.#deps.onSkipped(kind, skipped);
    this.#keep(kind, items);
    this.#deps.onRead(kind);
  }

  #intercepted<Kind extends ListKind>(
    kind: Kind,
    session: EngineSession,
    signal: AbortSignal | undefined,
  ): Promise<ListResult<Kind>> {
    const { server, interception, limits } = this.#shared;
    if (interception === undefined) return this.#list(kind, session, signal);
    const options = { timeoutMs: limits.listMs ?? limits.discoveryMs, signal };
    return interception.list(server, kind, options, () => this.#list(kind, session, signal));
  }

  async #list<Kind extends ListKind>(
    kind: Kind,
    session: EngineSession,
    signal: AbortSignal | undefined,
  ): Promise<ListResult<Kind>> {
    const { limits, listBudget } = this.#shared;
    try {
      return await readList(session, kind, {
        signal,
        timeoutMs: limits.listMs ?? limits.discoveryMs,
        maxPages: limits.listPages,
        maxItems: limits.listItems,
        budget: listBudget,
      });
    } catch (error) {
      // Many servers declare `resources` or `prompts` and implement only some of its methods.
      if (kind !== 'tools' && isMethodUnknown(error)) return { items: [], skipped: [], isPublic: true };
      throw error;
    }
  }

  /** Keeps the previous list, reports the failure, and reads the list again later. */
  #failed(kind: ListKind, cause: unknown, session: EngineSession): void {
    if (cause instanceof AuthRequiredError) return this.#deps.onAuthRequired(cause);
    const times = this.#failures.get(kind) ?? 0;
    this.#failures.set(kind, times + 1);
    const error = this.#note(kind, cause);
    this.#deps.onFailed(error);
    if (error.retryable) this.#readLater(kind, session, backoffDelay(times, { random: this.#shared.random }));
  }

  #note(kind: ListKind, cause: unknown): FittingsError {
    const error = listFailed(this.#shared.server, kind, cause);
    this.#status[kind] = { error, skipped: this.#status[kind].skipped };
    return error;
  }

  #keep<Kind extends ListKind>(kind: Kind, items: readonly Listings[Kind][]): void {
    const { server } = this.#shared;
    if (kind !== 'tools') {
      Object.assign(this.#lists, { [kind]: items.map((item) => ({ ...item, server })) });
      return;
    }
    const previous = this.#lists.tools;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Kind is 'tools' here
    const tools = items as readonly Listings['tools'][];
    this.#lists.tools = tools.map((tool) => ({ ...tool, server, digest: digestOf(tool) }));
    const changes = this.#isKnown ? differences(previous, this.#lists.tools) : undefined;
    if (changes !== undefined) this.#deps.onToolsChanged(changes);
    this.#isKnown = true;
  }

  /** Schedules a reading. Changes during a reading cause at most one more. */
  #readLater(kind: ListKind, session: EngineSession, ms: number): void {
    const { clock } = this.#shared;
    const at = clock.now() + ms;
    const waiting = this.#timers.get(kind);
    // A server that reports changes without end must not delay the reading for ever.
    if (waiting !== undefined && waiting.at <= at) return;
    waiting?.timer[Symbol.dispose]();
    const timer = clock.schedule(() => {
      this.#timers.delete(kind);
      if (!this.#deps.isCurrent(session)) return;
      if (this.#reading.has(kind)) this.#changedMeanwhile.add(kind);
      else void this.#readAgain(kind, session);
    }, ms);
    this.#timers.set(kind, { at, timer });
  }

  async #readAgain(kind: ListKind, session: EngineSession): Promise<void> {
    const { isCurrent } = this.#deps;
    this.#reading.add(kind);
    try {
      await this.#read(kind, session);
    } catch (error) {
      if (isCurrent(session)) this.#failed(kind, error, session);
    } finally {
      this.#reading.delete(kind);
      if (this.#changedMeanwhile.delete(kind) && isCurrent(session))
        this.#readLater(kind, session, this.#delayOf(kind));
    }
  }

  #forgetTimers(): void {
    for (const { timer } of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  #delayOf(kind: ListKind): number {
    const now = this.#shared.clock.now();
    const last = this.#pace.get(kind);
    const isQuiet = last === undefined || now - last.at > QUIET_TIMES * last.delay;
    const delay = isQuiet ? DEBOUNCE_MS : Math.min(2 * last.delay, MAX_DEBOUNCE_MS);
    this.#pace.set(kind, { at: now + delay, delay });
    return delay;
  }
}

function isMethodUnknown(error: unknown): boolean {
  return error instanceof FittingsError && error.details['rpcCode'] === RPC_CODES.methodNotFound;
}

/** Retryable, unless the user has to change something: a server that cannot list something now often can later. */
function listFailed(server: string, kind: ListKind, cause: unknown): FittingsError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const known = cause instanceof FittingsError ? cause : undefined;
  return new FittingsError(
    known?.code ?? 'PROTOCOL_VIOLATION',
    `The server "${server}" could not list its ${kind === 'resourceTemplates' ? 'resource templates' : kind}: ${sanitizeText(text)}`,
    {
      server,
      cause,
      kind: known?.kind,
      retryable: known?.kind !== 'config' && known?.kind !== 'auth' && !isMethodUnknown(cause),
      hint: known?.hint,
      details: { ...known?.details, list: kind },
    },
  );
}

/** Returns how the tools differ; `undefined` if they do not. */
export function differences(
  before: readonly CatalogTool[],
  after: readonly CatalogTool[],
): ToolChanges | undefined {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const now = new Map(after.map((tool) => [tool.name, tool]));
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now.values()].flatMap((tool) => {
    const previous = old.get(tool.name);
    if (previous === undefined || previous.digest === tool.digest) return [];
    return [{ tool: tool.name, members: changedMembers(previous, tool) }];
  });
  return added.length + removed.length + changed.length === 0 ? undefined : { added, removed, changed };
}

function changedMembers(before: ToolDefinition, after: ToolDefinition): readonly string[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  const names = new Set([...old.keys(), ...now.keys()]);
  names.delete('digest');
  return [...names].filter((name) => canonicalJson(old.get(name)) !== canonicalJson(now.get(name)));
}
