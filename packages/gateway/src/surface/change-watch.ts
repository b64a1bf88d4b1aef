import type { Clock } from '@mcp-fittings/client-core';
import type { Host, HostEvents } from '@mcp-fittings/host';
import type { Catalog } from '../catalog/catalog.js';
import type { ExposedKind, Scope } from '../catalog/exposure.js';
import { snapshotOf } from '../catalog/ready-servers.js';

/** Receives what happens at an address of the gateway, for one caller. */
export interface ScopeListener {
  /** The lists that the caller sees are different now. */
  changed(kind: ExposedKind): void;
  /** A resource has changed. */
  updated(event: HostEvents['resourceUpdated']): void;
  /** A server has logged a message. */
  logged(event: HostEvents['log']): void;
}

/** A listener that was added. */
export interface Watching extends Disposable {
  /** Call it when the client has read a list: from now on, it is told of changes since then. */
  seen(kind: ExposedKind): void;
}

const KINDS: readonly ExposedKind[] = ['tools', 'prompts', 'resources'];

/** Time for which changes are collected, in milliseconds. */
const CHANGE_MS = 50;

/** Digests of what each server lists. */
type Digests = ReadonlyMap<string, string>;

interface Watched {
  readonly scope: Scope;
  readonly listener: ScopeListener;
  readonly known: Map<ExposedKind, Digests>;
  timer?: Disposable | undefined;
}

/** Tells connections what has changed for them. It listens to the host once, for all of them. */
export class ChangeWatch implements Disposable {
  readonly #host: Host;
  readonly #catalog: Catalog;
  readonly #watched = new Set<Watched>();
  readonly #listening: readonly Disposable[];

  constructor(host: Host, catalog: Catalog, clock: Clock) {
    this.#host = host;
    this.#catalog = catalog;
    const onChange = ({ principal }: { readonly principal?: string | undefined }): void => {
      for (const each of this.#concerned(principal))
        each.timer ??= clock.schedule(() => this.#compare(each), CHANGE_MS, { unref: true });
    };
    this.#listening = [
      host.on('catalog', onChange),
      host.on('toolsChanged', onChange),
      host.on('state', onChange),
      host.on('resourceUpdated', (event) => {
        for (const { listener } of this.#concerned(event.principal)) listener.updated(event);
      }),
      host.on('log', (event) => {
        for (const { listener } of this.#concerned(event.principal)) listener.logged(event);
      }),
    ];
  }

  /** Adds a listener for what the caller sees. Dispose of the result to remove it. */
  watch(scope: Scope, listener: ScopeListener): Watching {
    const known = new Map(KINDS.map((kind) => [kind, this.#look(kind, scope, new Map())]));
    const own: Watched = { scope, listener, known };
    this.#watched.add(own);
    return {
      seen: (kind) => {
        own.known.set(kind, this.#look(kind, scope, own.known.get(kind) ?? new Map()));
      },
      [Symbol.dispose]: () => {
        this.#watched.delete(own);
        own.timer?.[Symbol.dispose]();
      },
    };
  }

  [Symbol.dispose](): void {
    for (const each of this.#listening) each[Symbol.dispose]();
    for (const { timer } of this.#watched) timer?.[Symbol.dispose]();
    this.#watched.clear();
  }

  #concerned(principal: string | undefined): readonly Watched[] {
    return [...this.#watched].filter(({ scope }) => scope.caller.principal === principal);
  }

  #compare(each: Watched): void {
    each.timer = undefined;
    for (const kind of KINDS) {
      const before = each.known.get(kind) ?? new Map();
      const now = this.#look(kind, each.scope, before);
      if (isEqual(before, now)) continue;
      each.known.set(kind, now);
      each.listener.changed(kind);
    }
  }

  #look(kind: ExposedKind, scope: Scope, before: Digests): Digests {
    const { principal } = scope.caller;
    const now = new Map(this.#catalog.digests(scope, kind));
    for (const [server, digest] of before) {
      // A connection of a person is forgotten when it was unused for a while, and then it is not known what its server lists.
      const status = snapshotOf(this.#host, server, principal)?.state.status;
      if (!now.has(server) && principal !== undefined && status === 'disconnected') now.set(server, digest);
    }
    return now;
  }
}

function isEqual(before: Digests, now: Digests): boolean {
  return before.size === now.size && [...now].every(([server, digest]) => before.get(server) === digest);
}
