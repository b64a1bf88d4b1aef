import { AuthRequiredError, type Clock } from '@mcp-fittings/client-core';
import type {
  CataloguePrompt,
  CatalogueResource,
  CatalogueResourceTemplate,
  CatalogueTool,
  ListKind,
  Listings,
} from '../contracts/catalogue.js';
import type { EngineSession } from '../contracts/engine.js';
import type { Tracer } from '../observability/channels.js';
import { digestOf } from './digest.js';
import { differences, type ToolChanges } from './differences.js';

/** Everything that one server lists. */
export interface Lists {
  tools: readonly CatalogueTool[];
  prompts: readonly CataloguePrompt[];
  resources: readonly CatalogueResource[];
  resourceTemplates: readonly CatalogueResourceTemplate[];
}

export interface ServerCatalogueParts {
  readonly server: string;
  readonly clock: Clock;
  readonly limits: { readonly discoveryMs: number; readonly listPages: number; readonly listItems: number };
  readonly tracer: Tracer;
  readonly onRead: (kind: ListKind) => void;
  readonly onToolsChanged: (changes: ToolChanges) => void;
  readonly onError: (error: unknown) => void;
  /** Entries were left out, and why. */
  readonly onLeft: (kind: ListKind, reasons: readonly string[]) => void;
}

/** The lists of one server, read after the handshake and again whenever they may have changed. */
export interface ServerCatalogue {
  readonly lists: Readonly<Lists>;
  /** Whether the server calls every list public that it gave. */
  readonly isPublic: boolean;
  /** Reads every list. What fails is reported; only when a person has to sign in first does it reject. */
  readAll(session: EngineSession, signal: AbortSignal): Promise<void>;
  /** The list changed, the server says: reads it soon, once for a burst of such news. */
  changed(kind: 'tools' | 'prompts' | 'resources', session: EngineSession): void;
  /** Reads what the server called fresh for a time that is over; cheap when nothing is. */
  refreshStale(session: EngineSession): void;
  /** Lists that were known before the server ran. */
  restore(lists: Lists): void;
  /** Forgets timers, keeps the lists. */
  pause(): void;
}

/** News of a change within this time are one change, milliseconds. */
const DEBOUNCE_MS = 250;
/**
 * A list that changes again and again is read less and less often, at least so often. It is read after
 * {@link DEBOUNCE_MS} again when it was quiet for {@link QUIET_TIMES} the last delay. Milliseconds.
 */
const MAX_DEBOUNCE_MS = 10_000;
const QUIET_TIMES = 4;
const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const NEWS_OF: Readonly<Record<'tools' | 'prompts' | 'resources', readonly ListKind[]>> = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
};

export function createServerCatalogue(parts: ServerCatalogueParts): ServerCatalogue {
  const { server, clock, limits } = parts;
  const lists: Lists = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
  const timers = new Map<ListKind, Disposable>();
  const staleAt = new Map<ListKind, number>();
  let known = false;
  const publicLists = new Set<ListKind>();
  const reading = new Set<ListKind>();
  const changedMeanwhile = new Set<ListKind>();
  /** When each list was, or will be, read because of news, and after which delay. */
  const pace = new Map<ListKind, { readonly at: number; readonly delay: number }>();
  let paused = false;

  const read = async (kind: ListKind, session: EngineSession, signal?: AbortSignal): Promise<void> => {
    const {
      items,
      left,
      ttlMs,
      isPublic = false,
    } = await parts.tracer.trace('refresh', { server, kind }, () =>
      session.list(kind, {
        signal,
        timeoutMs: limits.discoveryMs,
        maxPages: limits.listPages,
        maxItems: limits.listItems,
      }),
    );
    if (isPublic) publicLists.add(kind);
    else publicLists.delete(kind);
    if (ttlMs === undefined) staleAt.delete(kind);
    else staleAt.set(kind, clock.now() + ttlMs);
    if (left.length > 0) parts.onLeft(kind, left);
    keep(kind, items);
    parts.onRead(kind);
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
      if (changes !== undefined) parts.onToolsChanged(changes);
    }
    known = true;
  };

  /** What waits for its time or is being read hears of further changes, and is read at most once more. */
  const readLater = (kind: ListKind, session: EngineSession, ms: number): void => {
    if (timers.has(kind)) return;
    if (reading.has(kind)) {
      changedMeanwhile.add(kind);
      return;
    }
    timers.set(
      kind,
      clock.schedule(() => {
        timers.delete(kind);
        reading.add(kind);
        void read(kind, session)
          .catch(parts.onError)
          .finally(() => {
            reading.delete(kind);
            if (changedMeanwhile.delete(kind) && !paused) readLater(kind, session, delayOf(kind));
          });
      }, ms),
    );
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
    get isPublic() {
      return publicLists.size === KINDS.length;
    },
    async readAll(session, signal) {
      paused = false;
      const results = await Promise.allSettled(KINDS.map((kind) => read(kind, session, signal)));
      const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      // Nothing that follows would work either.
      const signIn: unknown = failures.find((failure) => failure instanceof AuthRequiredError);
      if (signIn !== undefined) throw signIn;
      for (const failure of failures) parts.onError(failure);
    },
    changed(kind, session) {
      for (const list of NEWS_OF[kind]) {
        if (reading.has(list)) changedMeanwhile.add(list);
        else if (!timers.has(list)) readLater(list, session, delayOf(list));
      }
    },
    refreshStale(session) {
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
      paused = true;
      changedMeanwhile.clear();
      for (const timer of timers.values()) timer[Symbol.dispose]();
      timers.clear();
      staleAt.clear();
    },
  };
}
