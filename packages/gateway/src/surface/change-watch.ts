import type { Clock } from '@mcp-fittings/client-core';
import type { Host, HostEvents } from '@mcp-fittings/host';
import type { Catalog } from '../catalog/catalog.js';
import type { ExposedKind, Scope } from '../catalog/exposure.js';
import { snapshotOf } from '../catalog/ready-servers.js';

/** Options of {@link createChangeWatch}. */
export interface ChangeWatchOptions {
  readonly host: Host;
  readonly catalog: Catalog;
  readonly clock: Clock;
  /** Time for which changes are collected, in milliseconds. */
  readonly changeMs: number;
}

/** Receives what happens at an address of the gateway, for one caller. */
export interface ScopeListener {
  /** The lists that the caller sees are different now. */
  changed(kind: ExposedKind): void;
  /** A resource has changed. */
  updated(event: HostEvents['resourceUpdated']): void;
  /** A server has logged a message. */
  logged(event: HostEvents['log']): void;
}

/** Tells connections what has changed for them. */
export interface ChangeWatch extends Disposable {
  /** Adds a listener for what the caller sees. Dispose of the result to remove it. */
  watch(scope: Scope, listener: ScopeListener): Watching;
}

/** A listener that was added. */
export interface Watching extends Disposable {
  /** Call it when the client has read a list: from now on, it is told of changes since then. */
  seen(kind: ExposedKind): void;
}

const KINDS: readonly ExposedKind[] = ['tools', 'prompts', 'resources'];

/** Digests of what each server lists. */
type Digests = ReadonlyMap<string, string>;

interface Watched {
  readonly scope: Scope;
  readonly listener: ScopeListener;
  readonly known: Map<ExposedKind, Digests>;
  timer?: Disposable | undefined;
}

/** Creates the watch. It listens to the host once, for all connections. */
export function createChangeWatch({ host, catalog, clock, changeMs }: ChangeWatchOptions): ChangeWatch {
  const watched = new Set<Watched>();

  /** Returns whether it is known what a server lists: a connection of a person is forgotten when it was unused for a while. */
  const isKnown = (server: string, { caller }: Scope): boolean => {
    const state = snapshotOf(host, server, caller.principal)?.state;
    return !(caller.principal !== undefined && state?.status === 'disconnected');
  };
  const look = (kind: ExposedKind, scope: Scope, before: Digests): Digests => {
    const now = new Map(catalog.digests(scope, kind));
    for (const [server, digest] of before) {
      if (!now.has(server) && !isKnown(server, scope)) now.set(server, digest);
    }
    return now;
  };
  const compare = (each: Watched): void => {
    each.timer = undefined;
    for (const kind of KINDS) {
      const before = each.known.get(kind) ?? new Map();
      const now = look(kind, each.scope, before);
      if (isEqual(before, now)) continue;
      each.known.set(kind, now);
      each.listener.changed(kind);
    }
  };
  const concerned = (principal: string | undefined): readonly Watched[] =>
    [...watched].filter(({ scope }) => scope.caller.principal === principal);
  const onChange = ({ principal }: { readonly principal?: string | undefined }): void => {
    for (const each of concerned(principal)) {
      each.timer ??= clock.schedule(() => compare(each), changeMs, { unref: true });
    }
  };

  const listening = [
    host.on('catalog', onChange),
    host.on('toolsChanged', onChange),
    host.on('state', onChange),
    host.on('resourceUpdated', (event) => {
      for (const { listener } of concerned(event.principal)) listener.updated(event);
    }),
    host.on('log', (event) => {
      for (const { listener } of concerned(event.principal)) listener.logged(event);
    }),
  ];

  return {
    watch(scope, listener) {
      const known = new Map(KINDS.map((kind) => [kind, look(kind, scope, new Map())]));
      const own: Watched = { scope, listener, known };
      watched.add(own);
      return {
        seen(kind) {
          own.known.set(kind, look(kind, scope, own.known.get(kind) ?? new Map()));
        },
        [Symbol.dispose]() {
          watched.delete(own);
          own.timer?.[Symbol.dispose]();
        },
      };
    },
    [Symbol.dispose]() {
      for (const each of listening) each[Symbol.dispose]();
      for (const { timer } of watched) timer?.[Symbol.dispose]();
      watched.clear();
    },
  };
}

function isEqual(before: Digests, now: Digests): boolean {
  return before.size === now.size && [...now].every(([server, digest]) => before.get(server) === digest);
}
