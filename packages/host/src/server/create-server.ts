import {
  type AuthProvider,
  FittingsError,
  type ServerConfig,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { choosePlugin } from '../setup/entry-transport.js';
import type { HostDeps } from '../setup/server-deps.js';
import { readSettings } from '../setup/settings.js';
import { ServerConnection } from './server-connection.js';

/**
 * Creates a server for an entry. An invalid entry is reported as the state of the server when it is to be connected.
 * @param principal - the principal whom calls name; undefined for the connection of the host itself
 */
export function createServer(
  server: string,
  config: ServerConfig,
  host: HostDeps,
  principal?: string,
): ServerConnection {
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

  const { discoveryMs } = settings;

  const auth = async (): Promise<AuthProvider | undefined> => {
    const identity = options.identityOf?.(server);
    const schemes = typeof options.auth === 'function' ? await options.auth(config) : options.auth;
    for (const plugin of schemes ?? []) {
      const configured = { name: server, config, identity, ...(principal !== undefined && { principal }) };
      const provider = plugin.create(configured, { logger: options.logger, clock });
      if (provider === undefined) continue;
      // It would sign the requests of all people with the credentials of one.
      if (principal !== undefined && plugin.separatesPrincipals !== true)
        throw oneForAll(server, plugin.scheme);
      return provider;
    }
    // The entry requires this sign-in: connecting without it would be wrong.
    const { authProviderType: type, url } = config;
    if (type === undefined || type === 'dynamic_discovery' || url === undefined) return undefined;
    throw new FittingsError(
      'CONFIG_INVALID',
      `No auth plugin provides the "authProviderType" of the server "${server}".`,
      {
        server,
        hint: 'google() of @mcp-fittings/auth-google provides "google_credentials".',
      },
    );
  };

  const find = async (): Promise<{
    readonly plugin: TransportPlugin;
    readonly auth: AuthProvider | undefined;
  }> => {
    if (mistake instanceof FittingsError) throw mistake;
    return { plugin: choosePlugin(server, config, options.transports), auth: await auth() };
  };

  return new ServerConnection({
    ...host,
    ...(principal !== undefined && { emitter: emitterFor(principal, host.emitter) }),
    limits: { ...limits, ...(discoveryMs !== undefined && { discoveryMs, listMs: discoveryMs }) },
    server,
    config,
    settings,
    principal,
    resolve: once(find),
  });
}

/** Adds the principal to each event. */
function emitterFor(principal: string, emitter: HostDeps['emitter']): HostDeps['emitter'] {
  return { emit: (event, payload) => emitter.emit(event, { ...payload, principal }) };
}

function oneForAll(server: string, scheme: string): FittingsError {
  return new FittingsError(
    'CONFIG_INVALID',
    `The sign-in scheme "${scheme}" of the server "${server}" has the same credentials for all people, and the call has a principal.`,
    {
      server,
      delivery: 'not-sent',
      hint: 'Leave out "principal" for this server, or use a scheme that separates people, such as oauth().',
    },
  );
}

/** Runs `make` at the first call only. While it rejects, each call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
