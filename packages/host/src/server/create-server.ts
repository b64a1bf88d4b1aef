import {
  FittingsError,
  type AuthProvider,
  type ServerConfig,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { choosePlugin } from '../setup/entry-transport.js';
import type { HostDeps } from '../setup/server-deps.js';
import { readSettings } from '../setup/settings.js';
import { createServerConnection, type ServerConnection } from './server-connection.js';

/** Creates a server for an entry. An invalid entry is reported as the state of the server when it is to be connected. */
export function createServer(server: string, config: ServerConfig, host: HostDeps): ServerConnection {
  const { options, clock, limits } = host;
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
    // The entry requires this sign-in: connecting without it would be wrong.
    const { authProviderType: type, url } = config;
    if (type === undefined || type === 'dynamic_discovery' || url === undefined) return undefined;
    throw new FittingsError(
      'CONFIG_INVALID',
      `No auth plugin provides the "authProviderType" of the server "${server}".`,
      {
        server,
        hint: 'Check the spelling of "authProviderType"; google() of @mcp-fittings/auth-google provides "google_credentials".',
      },
    );
  };

  const find = (): { readonly plugin: TransportPlugin; readonly auth: AuthProvider | undefined } => {
    if (mistake instanceof FittingsError) throw mistake;
    return { plugin: choosePlugin(server, config, options.transports), auth: auth() };
  };

  return createServerConnection({ ...host, server, config, settings, resolve: once(find) });
}

/** Runs `make` at the first call only. While it throws, each call tries again. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
