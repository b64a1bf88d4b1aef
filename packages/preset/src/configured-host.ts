import type { FittingsError, TokenStore } from '@mcp-fittings/client-core';
import { type Host, type HostOptions, createHost } from '@mcp-fittings/host';
import type { LoadedConfig } from '@mcp-fittings/config';
import type { LoadedServers } from './configuration/load-servers.js';
import { openStore, storeForReading } from './installed/credential-store.js';
import { SignInSchemes } from './installed/sign-in-schemes.js';
import type { OpenHostOptions } from './options.js';

/** A host with the transports, sign-in schemes and credential store of its options, and no servers. */
export interface ConfiguredHost {
  /** The host. It has no servers until its `connect` is called. */
  readonly host: Host;
  /** Returns the sign-in schemes of an entry, in the order in which they are tried. */
  readonly auth: Extract<HostOptions['auth'], (...args: never) => unknown>;
  /** The credential store. Closed with the host. */
  readonly store: TokenStore;
  /** Closes all connections and the credential store. */
  close(): Promise<void>;
}

/**
 * Creates the host of a configuration that was loaded with the same options, without connecting.
 *
 * @param current Returns the configuration as it is now. Default: as it was loaded.
 * @param onStoreUnavailable Called once if the credential store cannot be read. Reading then finds no credentials, as if the user
 * were signed out; writing rejects.
 */
export async function createConfiguredHost(
  { loaded, transports, home }: LoadedServers,
  options: OpenHostOptions,
  {
    current = () => loaded,
    onStoreUnavailable = () => undefined,
  }: {
    readonly current?: () => LoadedConfig;
    readonly onStoreUnavailable?: (error: FittingsError) => void;
  } = {},
): Promise<ConfiguredHost> {
  const { name, version, title, callbacks, logger, clock } = options;
  const { store, close } = openStore({ ...options, home });
  const schemes = new SignInSchemes({
    ...options,
    entries: () => current().entries,
    store: storeForReading(store, onStoreUnavailable),
  });
  const auth = (config: Parameters<typeof schemes.forEntry>[0]) => schemes.forEntry(config);
  const extensions = { ...options.host?.extensions, ...(await schemes.extensions()) };
  const host = createHost({
    ...options.host,
    name,
    version,
    title,
    extensions,
    transports,
    auth,
    // A server of a project does not get the credentials of the user's own with the same name.
    identityOf: (server) => current().identities[server],
    callbacks,
    logger,
    clock,
  });
  return {
    host,
    auth,
    store,
    async close() {
      await host.close();
      await close();
    },
  };
}
