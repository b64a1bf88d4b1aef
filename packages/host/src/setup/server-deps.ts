import type { AuthProvider, Clock, Logger, ServerConfig, TransportPlugin } from '@mcp-fittings/client-core';
import type { Engine } from '../contracts/engine.js';
import type { HostEvents } from '../contracts/host.js';
import type { HostLimits, HostOptions } from '../contracts/host-options.js';
import type { ListBudget } from '../limiters.js';
import type { Tracer } from '../tracing.js';
import type { Emitter } from '../events.js';
import type { Interception } from '../interception/interception.js';
import type { ServerSettings } from './settings.js';

/** Options and services that all servers of a host share. */
export interface HostDeps {
  /** The options as they were given. Those with a default that several modules need are below. */
  readonly options: HostOptions;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly logger: Logger | undefined;
  readonly limits: HostLimits;
  readonly emitter: Pick<Emitter<HostEvents>, 'emit'>;
  readonly tracer: Tracer;
  readonly listBudget: ListBudget;
  /** Runs the interceptors; `undefined` if there are none. */
  readonly interception: Interception | undefined;
  /** Waits for a slot to connect. Resolves with the function that releases it, which may be called twice. */
  readonly acquireConnectSlot: (signal: AbortSignal) => Promise<() => void>;
  /** Sources of entries, by the name of their server. */
  readonly scopes: ReadonlyMap<string, string | undefined>;
}

/**
 * Options and services that the modules of one server share. A module takes the members that it needs with `Pick`, and its own
 * dependencies as a second argument.
 */
export interface ServerDeps extends HostDeps {
  /** Name of the server. */
  readonly server: string;
  /** The entry as it was given. */
  readonly config: ServerConfig;
  readonly settings: ServerSettings;
  /** The principal for whom calls use this connection; undefined for the connection of the host itself. */
  readonly principal: string | undefined;
  /** Returns the transport plugin and the auth provider of the entry. Rejects with a `FittingsError` if no plugin accepts it. */
  readonly resolve: () => Promise<{
    readonly plugin: TransportPlugin;
    readonly auth: AuthProvider | undefined;
  }>;
}
