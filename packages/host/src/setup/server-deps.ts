import type { AuthProvider, Clock, Logger, ServerConfig, TransportPlugin } from '@mcp-fittings/client-core';
import type { ListBudget } from '../contracts/engine.js';
import type { HostEvents, HostLimits, HostOptions } from '../contracts/host.js';
import type { Tracer } from '../observability/channels.js';
import type { Emitter } from '../observability/events.js';
import type { ServerSettings } from './settings.js';

/** What all servers of one host share. */
export interface HostDeps {
  /** As they were given; what has a default and is needed in several places is below. */
  readonly options: HostOptions;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly logger: Logger | undefined;
  readonly limits: HostLimits;
  readonly emitter: Emitter<HostEvents>;
  readonly tracer: Tracer;
  readonly listBudget: ListBudget;
  /** Waits for a place to connect in; resolves with what gives it back, which may be called twice. */
  readonly turn: (signal: AbortSignal) => Promise<() => void>;
  /** Where entries come from, by the names of their servers. */
  readonly scopes: ReadonlyMap<string, string>;
}

/**
 * What all parts of one server share. A part takes the members that it needs of it with `Pick`, and what only it needs as a
 * second argument.
 */
export interface ServerDeps extends HostDeps {
  /** Name of the server. */
  readonly server: string;
  /** The entry as it was given. */
  readonly config: ServerConfig;
  readonly settings: ServerSettings;
  /** Finds what serves the entry; throws a `FittingsError` where nothing does. */
  readonly resolve: () => { readonly plugin: TransportPlugin; readonly auth: AuthProvider | undefined };
}
