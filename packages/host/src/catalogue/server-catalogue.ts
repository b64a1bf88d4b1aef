import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { backoffDelay } from '@mcp-fittings/client-core/timing';
import { RPC_CODES } from '@mcp-fittings/client-core/transport';
import type {
  CataloguePrompt,
  CatalogueResource,
  CatalogueResourceTemplate,
  CatalogueTool,
  ListKind,
  Listings,
  ListStatus,
  ToolChanges,
  ToolDefinition,
} from '../contracts/catalogue.js';
import type { EngineSession, ListResult } from '../contracts/engine.js';
import type { ServerDeps } from '../setup/server-deps.js';
import { canonical, digestOf } from './digest.js';

/** Everything that one server lists. */
export interface Lists {
  tools: readonly CatalogueTool[];
  prompts: readonly CataloguePrompt[];
  resources: readonly CatalogueResource[];
  resourceTemplates: readonly CatalogueResourceTemplate[];
}

export interface ServerCatalogueDeps {
  readonly onRead: (kind: ListKind) => void;
  readonly onToolsChanged: (changes: ToolChanges) => void;
  /** Whether this session is the connection of the server now; what fails on another one is no news. */
  readonly isLive: (session: EngineSession) => boolean;
  /** A list could not be read, or not read again, and the connection goes on. */
  readonly onFailed: (error: FittingsError) => void;
  /** A list is not to be had without a sign-in. */
  readonly onAuthRequired: (error: AuthRequiredError) => void;
  /** Entries were left out, and why. */
  readonly onSkipped: (kind: ListKind, reasons: readonly string[]) => void;
}

/** The lists of one server, read after the handshake and again whenever they may have changed. */
export interface ServerCatalogue {
  readonly lists: Readonly<Lists>;
  /** The tool of this name. */
  tool(name: string): CatalogueTool | undefined;
  /** Whether the server calls every list public that it gave. */
  readonly isPublic: boolean;
  /** How each list was read last. */
  readonly status: Readonly<Record<ListKind, ListStatus>>;
  /**
   * Reads every list. Rejects when the tools could not be listed, or a person has to sign in first. Another list that
   * fails is reported and tried again later: it must not cost the tools.
   */
  readAll(session: EngineSession, signal: AbortSignal): Promise<void>;
  /** The list changed, the server says: reads it soon, once for a burst of such news. */
  changed(kind: 'tools' | 'prompts' | 'resources', session: EngineSession): void;
  /** Reads what the server called fresh for a time that is over; cheap when nothing is. */
  refreshStale(session: EngineSession): void;
  /** The lists may be others now: reads all of them soon. */
  changedAll(session: EngineSession): void;
  /** Lists that were known before the server ran. */
  restore(lists: Lists): void;
  /** Forgets timers, keeps the lists. */
  pause(): void;
  /** The server is forgotten: what its lists took of the budget is free again. */
  dispose(): void;
}

/** News of a change within this time are one change, milliseconds. */
const DEBOUNCE_MS = 250;
/**
 * A list that changes again and again is read less and less often, at least so often. It is read after
 * {@link DEBOUNCE_MS} again when it was quiet for {@link QUIET_TIMES} the last delay. Milliseconds.
 */
const MAX_DEBOUNCE_MS = 10_000;
const QUIET_TIMES = 4;
const FRESH: ListStatus = { error: undefined, skipped: [] };
const NAME_OF: Readonly<Record<ListKind, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resource templates',
};
const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const NEWS_OF: Readonly<Record<'tools' | 'prompts' | 'resources', readonly ListKind[]>> = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
};

export function createServerCatalogue(
  shared: Pick<ServerDeps, 'server' | 'clock' | 'random' | 'limits' | 'tracer' | 'listBudget'>,
  deps: ServerCatalogueDeps,
): ServerCatalogue {
  const { server, clock, random, limits, tracer, listBudget } = shared;
  const lists: Lists = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
  const status: Record<ListKind, ListStatus> = {
    tools: FRESH,
    prompts: FRESH,
    resources: FRESH,
    resourceTemplates: FRESH,
  };
  /** The tools by their names, made when one is asked for. */
  let byName:
    { readonly tools: Lists['tools']; readonly map: ReadonlyMap<string, CatalogueTool> } | undefined;
  const timers = new Map<ListKind, { readonly at: number; readonly timer: Disposable }>();
  const staleAt = new Map<ListKind, number>();
  /** How often in a row a list failed. */
  const failures = new Map<ListKind, number>();
  /** Bytes of the budget that each list holds. */
  const held = new Map<ListKind, number>();
  /** Counts the readings of each list: what an earlier one brings after a later one has begun is old. */
  const turns = new Map<ListKind, number>();
  let known = false;
  const publicLists = new Set<ListKind>();
  const reading = new Set<ListKind>();
  const changedMeanwhile = new Set<ListKind>();
  /** When each list was, or will be, read because of news, and after which delay. */
  const pace = new Map<ListKind, { readonly at: number; readonly delay: number }>();

  const read = async (kind: ListKind, session: EngineSession, signal?: AbortSignal): Promise<void> => {
    const turn = (turns.get(kind) ?? 0) + 1;
    turns.set(kind, turn);
    const {
      items,
      skipped,
      ttlMs,
      isPublic = false,
      bytes = 0,
    } = await tracer.trace('refresh', { server, kind }, () => list(kind, session, signal));
    if (turns.get(kind) !== turn) {
      listBudget.giveBack(bytes);
      return;
    }
    if (isPublic) publicLists.add(kind);
    else publicLists.delete(kind);
    listBudget.giveBack(held.get(kind) ?? 0);
    held.set(kind, bytes);
    failures.delete(kind);
    status[kind] = { error: undefined, skipped };
    if (ttlMs === undefined) staleAt.delete(kind);
    else staleAt.set(kind, clock.now() + ttlMs);
    if (skipped.length > 0) deps.onSkipped(kind, skipped);
    keep(kind, items);
    deps.onRead(kind);
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
      // Many servers declare `resources` or `prompts` and have only a part of it, which is no failure.
      if (kind !== 'tools' && isMethodUnknown(error)) return { items: [], skipped: [], isPublic: true };
      throw error;
    }
  };

  /** Keeps what was read before, says so, and tries again later. */
  const failed = (kind: ListKind, cause: unknown, session: EngineSession): void => {
    if (cause instanceof AuthRequiredError) return deps.onAuthRequired(cause);
    const times = failures.get(kind) ?? 0;
    failures.set(kind, times + 1);
    const error = note(kind, cause);
    deps.onFailed(error);
    if (error.retryable) readLater(kind, session, backoffDelay(times, { random: random }));
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

  /** What waits for its time or is being read hears of further changes, and is read at most once more. */
  const readLater = (kind: ListKind, session: EngineSession, ms: number): void => {
    const at = clock.now() + ms;
    const waiting = timers.get(kind);
    // A server that announces changes without end must not put off the reading for ever.
    if (waiting !== undefined && waiting.at <= at) return;
    waiting?.timer[Symbol.dispose]();
    const timer = clock.schedule(() => {
      timers.delete(kind);
      if (!deps.isLive(session)) return;
      if (reading.has(kind)) {
        changedMeanwhile.add(kind);
        return;
      }
      reading.add(kind);
      void read(kind, session)
        .catch((error: unknown) => {
          if (deps.isLive(session)) failed(kind, error, session);
        })
        .finally(() => {
          reading.delete(kind);
          if (changedMeanwhile.delete(kind) && deps.isLive(session)) {
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
      if (byName?.tools !== tools) byName = { tools, map: new Map(tools.map((tool) => [tool.name, tool])) };
      return byName.map.get(name);
    },
    get isPublic() {
      return publicLists.size === KINDS.length;
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
      // Nothing that follows would work either.
      const signIn: unknown = [...causes.values()].find((cause) => cause instanceof AuthRequiredError);
      if (signIn !== undefined) throw signIn;
      if (causes.has('tools')) throw note('tools', causes.get('tools'));
      for (const [kind, cause] of causes) failed(kind, cause, session);
    },
    changed(kind, session) {
      for (const news of NEWS_OF[kind]) {
        if (reading.has(news)) changedMeanwhile.add(news);
        else if (!timers.has(news)) readLater(news, session, delayOf(news));
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
      // What is still on its way belongs to a connection that is over.
      for (const kind of KINDS) turns.set(kind, (turns.get(kind) ?? 0) + 1);
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

/** Worth another attempt, unless somebody has to change something: what a server can't list now it often can later. */
function listFailed(server: string, kind: ListKind, cause: unknown): FittingsError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const known = cause instanceof FittingsError ? cause : undefined;
  return new FittingsError(
    known?.code ?? 'PROTOCOL_VIOLATION',
    `"${server}" did not list its ${NAME_OF[kind]}: ${sanitizeText(text)}`,
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

/** How the tools differ; undefined when nothing does. */
export function differences(
  before: readonly CatalogueTool[],
  after: readonly CatalogueTool[],
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
  return [...names].filter((name) => canonical(old.get(name)) !== canonical(now.get(name)));
}
