import { FittingsError, type AuthProvider, type Clock, type ServerConfig } from '@mcp-fittings/client-core';
import { choosePlugin } from '../connection/choose-plugin.js';
import type { Semaphore } from '../connection/semaphore.js';
import { readSettings } from '../connection/settings.js';
import type { ListBudget } from '../contracts/engine.js';
import type { HostEvents, HostLimits, HostOptions } from '../contracts/host.js';
import type { Tracer } from '../observability/channels.js';
import type { Emitter } from '../observability/events.js';
import type { ServerConnection } from './contract.js';
import { createServerConnection } from './server-connection.js';

/** What all servers of one host share. */
export interface Shared {
  readonly options: HostOptions;
  readonly clock: Clock;
  readonly limits: HostLimits;
  readonly turns: Semaphore;
  /** Where entries come from, by the names of their servers. */
  readonly scopes: ReadonlyMap<string, string>;
  readonly listBudget: ListBudget;
  readonly tracer: Tracer;
  readonly emitter: Emitter<HostEvents>;
}

/** Makes a server of an entry; a mistake in the entry shows when it is to be connected, as the state of that server. */
export function createServer(server: string, config: ServerConfig, shared: Shared): ServerConnection {
  const { options, clock, limits } = shared;
  const defaults = {
    limits,
    lazy: options.lazy ?? false,
    idleMs: options.idleMs ?? 0,
    delivery: options.delivery ?? 'reconnect',
    servers: options.defaults,
  } as const;
  let mistake: unknown;
  const settings = (() => {
    try {
      return readSettings(server, config, defaults);
    } catch (error) {
      mistake = error;
      return readSettings(
        server,
        { disabled: config.disabled === true },
        { ...defaults, servers: undefined },
      );
    }
  })();

  const auth = (): AuthProvider | undefined => {
    const identity = options.identityOf?.(server);
    for (const plugin of options.auth ?? []) {
      const provider = plugin.create({ name: server, config, identity }, { logger: options.logger, clock });
      if (provider !== undefined) return provider;
    }
    // Said by the entry, so that it is not connected to as if it had said nothing.
    const { authProviderType: type, url } = config;
    if (type === undefined || type === 'dynamic_discovery' || url === undefined) return undefined;
    throw new FittingsError(
      'CONFIG_INVALID',
      `No auth plugin provides the "authProviderType" of the server "${server}".`,
      {
        server,
        hint: 'Check its spelling; google() of @mcp-fittings/auth-google provides "google_credentials".',
      },
    );
  };

  return createServerConnection({
    server,
    config,
    settings,
    resolve() {
      if (mistake instanceof FittingsError) throw mistake;
      return { plugin: choosePlugin(server, config, options.transports), auth: auth() };
    },
    engine: options.engine,
    callbacks: options.callbacks ?? {},
    clock,
    random: options.random,
    logger: options.logger,
    limits,
    cache: options.cache,
    person: options.person,
    scope: () => shared.scopes.get(server),
    turns: shared.turns,
    listBudget: shared.listBudget,
    tracer: shared.tracer,
    traceContext: options.traceContext ?? (() => undefined),
    emitter: shared.emitter,
  });
}
