import { createHash } from 'node:crypto';
import type { Clock } from '@mcp-fittings/client-core';
import type { Host, HostEvents } from '@mcp-fittings/host';
import type { Catalog } from '../catalog/catalog.js';
import type { ExposedKind, Scope } from '../catalog/exposure.js';

/** Options of {@link createChangeWatch}. */
export interface ChangeWatchOptions {
  readonly host: Host;
  readonly catalog: Catalog;
  readonly clock: Clock;
  /** Time for which changes are collected, in milliseconds. */
  readonly changeMs: number;
}

/** What happens at an address of the gateway, for one caller. */
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

interface Watched {
  readonly scope: Scope;
  readonly listener: ScopeListener;
  readonly known: Map<ExposedKind, string>;
  timer?: Disposable | undefined;
}

/** Creates the watch. It listens to the host once, for all connections. */
export function createChangeWatch({ host, catalog, clock, changeMs }: ChangeWatchOptions): ChangeWatch {
  const watched = new Set<Watched>();

  const digestOf = (kind: ExposedKind, scope: Scope): string => {
    const lists =
      kind === 'resources'
        ? [catalog.resources(scope), catalog.resourceTemplates(scope)]
        : [catalog[kind](scope)];
    return createHash('sha256').update(JSON.stringify(lists)).digest('base64');
  };
  const compare = (each: Watched): void => {
    each.timer = undefined;
    for (const kind of KINDS) {
      const now = digestOf(kind, each.scope);
      if (each.known.get(kind) === now) continue;
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
      const known = new Map(KINDS.map((kind) => [kind, digestOf(kind, scope)]));
      const own: Watched = { scope, listener, known };
      watched.add(own);
      return {
        seen(kind) {
          own.known.set(kind, digestOf(kind, scope));
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
