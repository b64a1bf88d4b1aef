import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { comparePins, type PinChange, type PinnedServer } from './compare-pins.js';
import { definitionOf } from './definition.js';
import { describePinChange, summarizePinChange } from './describe-change.js';
import { parseRecord, withPins, type PinRecord, type ToolPin } from './pin-record.js';
import { memoryPinStore, type ToolPinStore } from './pin-store.js';

/** Options of {@link createToolPins}. */
export interface ToolPinsOptions {
  /** Keeps the pins. Default: in memory, as long as the process. */
  readonly store?: ToolPinStore | undefined;
  /**
   * Decides about a tool that changed or was added since the server was first used. `warn`: it is reported and may run, and is pinned anew.
   * `ask`, the default: the user is asked before it is called. `block`: it is not called until the host accepts the change.
   */
  readonly onChange?: 'warn' | 'ask' | 'block' | undefined;
  /**
   * Called once for each change, in every mode, when it is first seen. If it throws, `snapshot()` throws and a call ends with
   * `CALLBACK_FAILED`, and under `warn` nothing is pinned anew. Default: none.
   */
  readonly report?: ((change: PinChange) => void) | undefined;
  /**
   * If true, the model sees what the user has not agreed to, under `ask`. Default false, because a description may be an instruction to the
   * model: a tool that changed is offered as it was, and one that was added is not offered.
   */
  readonly showUnseen?: boolean | undefined;
  /**
   * Returns the identity of a server, to which its pins belong. Default: `ServerSnapshot.identity` of the host. Pins of a server without
   * either last as long as the process. A new identity is a server that is used for the first time.
   */
  readonly identify?: ((server: string) => string | undefined) | undefined;
  /** Source of the time of pins. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Result of the comparison of a server with its pins. */
export interface PinReview {
  /** Differences that the person has not agreed to; under `warn` none. */
  readonly changes: readonly PinChange[];
  /** Names of pinned tools that the server does not list. They keep their pins. */
  readonly absent: readonly string[];
  /** True if the server was used for the first time, so that its tools were pinned without a comparison. */
  readonly isFirstUse: boolean;
  /** Differences that the person has not agreed to, by the name of the tool; `instructions` have the empty name. */
  readonly waiting: ReadonlyMap<string, PinChange>;
  /** The pins of the server; undefined if it has not listed anything yet. */
  readonly record: PinRecord | undefined;
}

/** Trust on first use for the tools of servers. */
export interface ToolPins {
  /** Decides about a tool that changed or was added. */
  readonly onChange: 'warn' | 'ask' | 'block';
  /** True if the model sees what the user has not agreed to. */
  readonly showUnseen: boolean;
  /**
   * Compares a server with its pins. A server without pins is used for the first time: what it offers is pinned. Under `warn`,
   * changes are reported and pinned. Throws the error of the store; do not use the server then.
   */
  review(server: PinnedServer): PinReview;
  /** Resolves when what was pinned of the server is stored. Rejects if it could not be. */
  settled(server: PinnedServer): Promise<void>;
  /** Pins these changes, as they are in `changes`. What the server offers by now may differ, and is then another change. */
  accept(server: PinnedServer, changes: readonly PinChange[]): Promise<void>;
  /**
   * Removes the pins of these tools, which then count as added, or all pins of the server, which then counts as used for the first
   * time.
   */
  remove(server: Omit<PinnedServer, 'tools'>, tools?: readonly string[]): Promise<void>;
  /** Describes a change for a person who decides by it: {@link describePinChange}. */
  describe(change: PinChange): string;
  /** Says in one sentence what changed. Names are escaped. */
  summarize(change: PinChange): string;
}

/** Returns the key of a server in a store. */
export const pinKey = (identity: string, principal: string | undefined): string =>
  JSON.stringify([identity, principal ?? null]);

/** Pins that are being written, and what was found out about them. */
interface Owner {
  readonly key: string;
  readonly identity: string;
  readonly store: ToolPinStore;
  /** The record when everything is written. */
  next: { readonly record: PinRecord | undefined } | undefined;
  writing: Promise<void> | undefined;
  /** Error of the last writing. */
  failure: { readonly error: unknown } | undefined;
  readonly reported: Set<string>;
  last: { readonly server: PinnedServer; readonly review: PinReview } | undefined;
}

/** Servers and people whose comparisons are remembered. The pins of others are read again. */
const MAX_OWNERS = 1_000;
const MAX_REPORTED = 10_000;

/**
 * Creates pins for `createTools(host, { pins })`: the tools that a server has when it is first used are trusted, and every later
 * change is seen. A pin compares; it does not judge: a tool that was malicious when it was first used stays so.
 * @example
 * ```ts
 * import { createToolPins } from '@mcp-fittings/tools/pins';
 * import { fileRecords } from '@mcp-fittings/store-file';
 *
 * const pins = createToolPins({ store: await fileRecords({ path: join(homedir(), '.local', 'state', 'my-agent', 'pins') }) });
 * const tools = createTools(host, { pins, confirm });
 * ```
 */
export function createToolPins(options: ToolPinsOptions = {}): ToolPins {
  const { store = memoryPinStore(), onChange = 'ask', report, showUnseen = false, identify } = options;
  const { clock = systemClock } = options;
  const unidentified = memoryPinStore();
  const owners = new Map<string, Owner>();
  const parsed = new WeakMap<object, PinRecord>();

  const ownerOf = ({ name, identity: given, principal }: Omit<PinnedServer, 'tools'>): Owner => {
    const identity = identify?.(name) ?? given;
    const key = pinKey(identity ?? name, principal);
    const id = `${identity === undefined ? 'name' : 'identity'} ${key}`;
    const known = owners.get(id);
    if (known !== undefined) return known;
    for (const [other, { writing }] of owners) {
      if (owners.size < MAX_OWNERS) break;
      if (writing === undefined) owners.delete(other);
    }
    const owner: Owner = {
      key,
      identity: identity ?? name,
      store: identity === undefined ? unidentified : store,
      next: undefined,
      writing: undefined,
      failure: undefined,
      reported: new Set(),
      last: undefined,
    };
    owners.set(id, owner);
    return owner;
  };

  const parse = (stored: unknown, server: string): PinRecord | undefined => {
    if (typeof stored !== 'object' || stored === null) return parseRecord(stored, server);
    const known = parsed.get(stored) ?? parseRecord(stored, server);
    if (known !== undefined) parsed.set(stored, known);
    return known;
  };

  const recordOf = (owner: Owner, server: string): PinRecord | undefined =>
    owner.next === undefined ? parse(owner.store.read(owner.key), server) : owner.next.record;

  type Edit = (before: PinRecord | undefined) => PinRecord | undefined;

  /** Changes the record at once for this process, and writes it after what is being written. */
  const write = (owner: Owner, server: string, edit: Edit): Promise<void> => {
    const before = owner.writing;
    owner.next = { record: edit(recordOf(owner, server)) };
    const run = async (): Promise<void> => {
      if (before !== undefined) await before.catch(() => undefined);
      await owner.store.change(owner.key, (stored) => {
        const after = edit(parse(stored, server));
        return after === undefined ? undefined : { ...after };
      });
    };
    const writing = run();
    owner.writing = writing;
    const end = (): void => {
      // What another process wrote first counts from here.
      if (owner.writing === writing) owner.writing = owner.next = undefined;
    };
    writing.then(end, (error: unknown) => {
      owner.failure = { error };
      end();
    });
    return writing;
  };

  const pinOf = (change: PinChange): ToolPin => ({
    name: change.tool,
    digest: change.digest,
    at: clock.now(),
    definition: change.after,
  });

  const firstRecord = (owner: Owner, server: PinnedServer): PinRecord => {
    const { name, principal, tools, instructions } = server;
    const at = clock.now();
    const pins = new Map<string, ToolPin>();
    for (const tool of tools) {
      // Of two tools with one name, the first is called.
      if (!pins.has(tool.name))
        pins.set(tool.name, { name: tool.name, digest: tool.digest, at, definition: definitionOf(tool) });
    }
    return {
      version: 1,
      server: name,
      identity: owner.identity,
      ...(principal !== undefined && { principal }),
      at,
      ...(instructions !== undefined && { instructions }),
      tools: [...pins.values()],
    };
  };

  const accepted =
    (owner: Owner, server: PinnedServer, changes: readonly PinChange[]): Edit =>
    (before) => {
      const record = before ?? { ...firstRecord(owner, server), tools: [] };
      const listed = new Set(server.tools.map(({ name }) => name));
      const pins = changes.filter(({ kind }) => kind !== 'instructions').map(pinOf);
      const text = changes.find(({ kind }) => kind === 'instructions')?.after['instructions'];
      const next = withPins(record, pins, listed);
      return text === undefined ? next : { ...next, instructions: typeof text === 'string' ? text : null };
    };

  const reportOnce = (owner: Owner, change: PinChange): void => {
    const key = JSON.stringify([change.kind, change.tool, change.digest]);
    if (owner.reported.has(key)) return;
    try {
      report?.(change);
    } catch (cause) {
      throw new FittingsError('CALLBACK_FAILED', 'The report callback of the pins threw an error.', {
        cause,
      });
    }
    if (owner.reported.size >= MAX_REPORTED) owner.reported.clear();
    owner.reported.add(key);
  };

  const writeLater = (owner: Owner, server: PinnedServer, edit: Edit): void => {
    // `settled` reports a failure.
    write(owner, server.name, edit).catch(() => undefined);
  };

  const review = (server: PinnedServer): PinReview => {
    const owner = ownerOf(server);
    const record = recordOf(owner, server.name);
    if (record === undefined) {
      // It may not have listed its tools yet.
      if (server.tools.length === 0) return nothing();
      const first = firstRecord(owner, server);
      writeLater(owner, server, (before) => before ?? first);
      const now = owner.next?.record ?? first;
      return { ...comparison(owner, now, server), isFirstUse: true };
    }
    if (record.instructions === undefined && server.instructions !== undefined) {
      const { instructions } = server;
      writeLater(owner, server, (before) =>
        before === undefined || before.instructions !== undefined ? before : { ...before, instructions },
      );
      return review(server);
    }
    const found = comparison(owner, record, server);
    for (const change of found.changes) reportOnce(owner, change);
    if (onChange !== 'warn' || found.changes.length === 0) return found;
    writeLater(owner, server, accepted(owner, server, found.changes));
    return comparison(owner, owner.next?.record ?? record, server);
  };

  return {
    onChange,
    showUnseen,
    review,
    async settled(server) {
      const owner = ownerOf(server);
      while (owner.writing !== undefined) await owner.writing.catch(() => undefined);
      const { failure } = owner;
      if (failure === undefined) return;
      owner.failure = undefined;
      throw failure.error;
    },
    async accept(server, changes) {
      const owner = ownerOf(server);
      const writing = write(owner, server.name, accepted(owner, server, changes));
      try {
        await writing;
      } finally {
        owner.failure = undefined;
      }
    },
    async remove(server, tools) {
      const { key, store: kept, writing } = ownerOf(server);
      await writing?.catch(() => undefined);
      if (tools === undefined) return kept.remove(key);
      await kept.change(key, (stored) => {
        const record = parse(stored, server.name);
        const names = new Set(tools);
        return record && { ...record, tools: record.tools.filter(({ name }) => !names.has(name)) };
      });
    },
    describe: (change) => describePinChange(change),
    summarize: summarizePinChange,
  };
}

function nothing(): PinReview {
  return { isFirstUse: false, changes: [], absent: [], waiting: new Map(), record: undefined };
}

/** Compares, or returns the last comparison if neither the pins nor the tools are others. */
function comparison(owner: Owner, record: PinRecord, server: PinnedServer): PinReview {
  const { last } = owner;
  if (last?.review.record === record && isSameServer(last.server, server)) return last.review;
  const review: PinReview = { ...comparePins(record, server), isFirstUse: false, record };
  owner.last = { server, review };
  return review;
}

function isSameServer(a: PinnedServer, b: PinnedServer): boolean {
  return (
    a.name === b.name &&
    a.instructions === b.instructions &&
    a.tools.length === b.tools.length &&
    a.tools.every(({ name, digest }, at) => name === b.tools[at]?.name && digest === b.tools[at].digest)
  );
}
