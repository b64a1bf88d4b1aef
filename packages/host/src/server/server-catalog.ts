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
  ListStatus,
  ToolChanges,
  ToolDefinition,
} from '../contracts/catalog.js';
import type { EngineSession, ListResult } from '../contracts/engine.js';
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

/** The lists of one server. They are read after the handshake, and again whenever they may have changed. */
export interface ServerCatalog {
  readonly lists: Readonly<Lists>;
  /** Returns the tool with this name. */
  tool(name: string): CatalogTool | undefined;
  /** Whether the server declares all of its lists public. */
  readonly isPublic: boolean;
  /** Time at which the first of the lists is stale, by the host's clock; undefined if no list says so. */
  readonly staleAt: number | undefined;
  /** How each list was last read. */
  readonly status: Readonly<Record<ListKind, ListStatus>>;
  /**
   * Reads every list. Rejects if the tools could not be listed, or if the user has to sign in. A failure of another list is
   * reported, and the list is read again later, so that it does not cost the tools.
   */
  readAll(session: EngineSession, signal: AbortSignal): Promise<void>;
  /** Call it when the server reports a changed list: reads it soon, once for a burst of reports. */
  changed(kind: 'tools' | 'prompts' | 'resources', session: EngineSession): void;
  /** Reads lists whose time to live has passed. Cheap if there are none. */
  refreshStale(session: EngineSession): void;
  /** Call it when any list may have changed: reads all of them soon. */
  changedAll(session: EngineSession): void;
  /** Sets the lists, from the cache. */
  restore(lists: Lists): void;
  /** Cancels pending readings and keeps the lists. */
  pause(): void;
  /** Returns the bytes of the lists to the budget. */
  dispose(): void;
}

/** Reports of changes within this time count as one, in milliseconds. */
const DEBOUNCE_MS = 250;
/**
 * Longest delay before a list is read again, in milliseconds: the delay doubles while the list keeps changing. It returns to
 * {@link DEBOUNCE_MS} after {@link QUIET_TIMES} times the last delay without a change.
 */
const MAX_DEBOUNCE_MS = 10_000;
const QUIET_TIMES = 4;
const NOT_READ: ListStatus = { error: undefined, skipped: [] };
const NAME_OF: Readonly<Record<ListKind, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resource templates',
};
const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const LISTS_OF_CHANGE: Readonly<Record<'tools' | 'prompts' | 'resources', readonly ListKind[]>> = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
};

export function createServerCatalog(
  shared: Pick<
    ServerDeps,
    'server' | 'clock' | 'random' | 'limits' | 'tracer' | 'listBudget' | 'interception'
  >,
  deps: ServerCatalogDeps,
): ServerCatalog {
  const { server, clock, random, limits, tracer, listBudget, interception } = shared;
  const lists: Lists = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
  const status: Record<ListKind, ListStatus> = {
    tools: NOT_READ,
    prompts: NOT_READ,
    resources: NOT_READ,
    resourceTemplates: NOT_READ,
  };
  /** The tools by name, created when one is asked for. */
  let byName: { readonly tools: Lists['tools']; readonly map: ReadonlyMap<string, CatalogTool> } | undefined;
  const timers = new Map<ListKind, { readonly at: number; readonly timer: Disposable }>();
  const staleAt = new Map<ListKind, number>();
  /** Consecutive failures of each list. */
  const failures = new Map<ListKind, number>();
  /** Bytes of the budget that each list takes. */
  const held = new Map<ListKind, number>();
  /** Number of readings of each list. The result of a reading is discarded if a later one has started. */
  const readings = new Map<ListKind, number>();
  let known = false;
  const publicLists = new Set<ListKind>();
  const reading = new Set<ListKind>();
  const changedMeanwhile = new Set<ListKind>();
  /** When each list was, or will be, read because of a change, and after which delay. */
  const pace = new Map<ListKind, { readonly at: number; readonly delay: number }>();

  const read = async (kind: ListKind, session: EngineSession, signal?: AbortSignal): Promise<void> => {
    const turn = (readings.get(kind) ?? 0) + 1;
    readings.set(kind, turn);
    const {
      items,
      skipped,
      ttlMs,
      isPublic = false,
      bytes = 0,
    } = await tracer.trace('refresh', { server, kind }, () => intercepted(kind, session, signal));
    if (readings.get(kind) !== turn) {
      listBudget.giveBack(bytes);
      return;
    }
    if (isPublic) publicLists.add(kind);
    else publicLists.delete(kind);
    listBudget.giveBack(held.get(kind) ?? 0);
    held.set(kind, bytes);
    failures.delete(kind);
    const freshUntil = ttlMs === undefined ? undefined : clock.now() + ttlMs;
    status[kind] = { error: undefined, skipped, isPublic, freshUntil };
    if (freshUntil === undefined) staleAt.delete(kind);
    else staleAt.set(kind, freshUntil);
    if (skipped.length > 0) deps.onSkipped(kind, skipped);
    keep(kind, items);
    deps.onRead(kind);
  };

  const intercepted = async <Kind extends ListKind>(
    kind: Kind,
    session: EngineSession,
    signal: AbortSignal | undefined,
  ): Promise<ListResult<Kind>> => {
    if (interception === undefined) return list(kind, session, signal);
    const options = { timeoutMs: limits.listMs ?? limits.discoveryMs, signal };
    return (await interception()).list(server, kind, options, () => list(kind, session, signal));
  };

  const list = async <Kind extends ListKind>(
    kind: Kind,
    session: EngineSession,
    signal: AbortSignal | undefined,
  ): Promise<ListResult<Kind>> => {
    try {
      return await session.list(kind, {
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
  };

  /** Keeps the previous list, reports the failure, and reads the list again later. */
  const failed = (kind: ListKind, cause: unknown, session: EngineSession): void => {
    if (cause instanceof AuthRequiredError) return deps.onAuthRequired(cause);
    const times = failures.get(kind) ?? 0;
    failures.set(kind, times + 1);
    const error = note(kind, cause);
    deps.onFailed(error);
    if (error.retryable) readLater(kind, session, backoffDelay(times, { random }));
  };

  const note = (kind: ListKind, cause: unknown): FittingsError => {
    const error = listFailed(server, kind, cause);
    status[kind] = { error, skipped: status[kind].skipped };
    return error;
  };

  const keep = <Kind extends ListKind>(kind: Kind, items: readonly Listings[Kind][]): void => {
    if (kind !== 'tools') {
      Object.assign(lists, { [kind]: items.map((item) => ({ ...item, server })) });
      return;
    }
    const previous = lists.tools;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Kind is 'tools' here
    const tools = items as readonly Listings['tools'][];
    lists.tools = tools.map((tool) => ({ ...tool, server, digest: digestOf(tool) }));
    if (known) {
      const changes = differences(previous, lists.tools);
      if (changes !== undefined) deps.onToolsChanged(changes);
    }
    known = true;
  };

  /** Schedules a reading. Changes during a reading cause at most one more. */
  const readLater = (kind: ListKind, session: EngineSession, ms: number): void => {
    const at = clock.now() + ms;
    const waiting = timers.get(kind);
    // A server that reports changes without end must not delay the reading for ever.
    if (waiting !== undefined && waiting.at <= at) return;
    waiting?.timer[Symbol.dispose]();
    const timer = clock.schedule(() => {
      timers.delete(kind);
      if (!deps.isCurrent(session)) return;
      if (reading.has(kind)) {
        changedMeanwhile.add(kind);
        return;
      }
      reading.add(kind);
      void read(kind, session)
        .catch((error: unknown) => {
          if (deps.isCurrent(session)) failed(kind, error, session);
        })
        .finally(() => {
          reading.delete(kind);
          if (changedMeanwhile.delete(kind) && deps.isCurrent(session)) {
            readLater(kind, session, delayOf(kind));
          }
        });
    }, ms);
    timers.set(kind, { at, timer });
  };

  const forgetTimers = (): void => {
    for (const { timer } of timers.values()) timer[Symbol.dispose]();
    timers.clear();
  };

  const delayOf = (kind: ListKind): number => {
    const now = clock.now();
    const last = pace.get(kind);
    const isQuiet = last === undefined || now - last.at > QUIET_TIMES * last.delay;
    const delay = isQuiet ? DEBOUNCE_MS : Math.min(2 * last.delay, MAX_DEBOUNCE_MS);
    pace.set(kind, { at: now + delay, delay });
    return delay;
  };

  return {
    lists,
    tool(name) {
      const { tools } = lists;
      // An interceptor may have listed a name twice: the first one counts, as for those who go through the list.
      if (byName?.tools !== tools)
        byName = { tools, map: new Map(tools.toReversed().map((tool) => [tool.name, tool])) };
      return byName.map.get(name);
    },
    get isPublic() {
      return publicLists.size === KINDS.length;
    },
    get staleAt() {
      return staleAt.size === 0 ? undefined : Math.min(...staleAt.values());
    },
    status,
    async readAll(session, signal) {
      forgetTimers();
      const results = await Promise.allSettled(KINDS.map((kind) => read(kind, session, signal)));
      const causes = new Map<ListKind, unknown>();
      for (const [index, kind] of KINDS.entries()) {
        const result = results[index];
        if (result?.status === 'rejected') causes.set(kind, result.reason);
      }
      // Nothing works until the user has signed in.
      const signIn: unknown = [...causes.values()].find((cause) => cause instanceof AuthRequiredError);
      if (signIn !== undefined) throw signIn;
      if (causes.has('tools')) throw note('tools', causes.get('tools'));
      for (const [kind, cause] of causes) failed(kind, cause, session);
    },
    changed(kind, session) {
      for (const changed of LISTS_OF_CHANGE[kind]) {
        if (reading.has(changed)) changedMeanwhile.add(changed);
        else if (!timers.has(changed)) readLater(changed, session, delayOf(changed));
      }
    },
    changedAll(session) {
      for (const kind of KINDS) readLater(kind, session, delayOf(kind));
    },
    refreshStale(session) {
      if (staleAt.size === 0) return;
      const now = clock.now();
      for (const [kind, at] of staleAt) {
        if (at > now) continue;
        staleAt.delete(kind);
        readLater(kind, session, 0);
      }
    },
    restore(restored) {
      Object.assign(lists, restored);
      known = true;
    },
    pause() {
      changedMeanwhile.clear();
      forgetTimers();
      staleAt.clear();
      failures.clear();
      // Results that arrive later belong to a connection that has ended.
      for (const kind of KINDS) readings.set(kind, (readings.get(kind) ?? 0) + 1);
    },
    dispose() {
      for (const bytes of held.values()) listBudget.giveBack(bytes);
      held.clear();
    },
  };
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
    `The server "${server}" could not list its ${NAME_OF[kind]}: ${sanitizeText(text)}`,
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
