import { XAA_EXTENSION } from '@mcp-fittings/auth-xaa';
import type { FittingsError, ServerConfig } from '@mcp-fittings/client-core';
import { createHost } from '@mcp-fittings/host';
import { sdk } from '@mcp-fittings/host/sdk-v2';
import { packageVersion } from '../version.js';
import { createAuth } from './create-auth.js';
import { loadServers } from './load-servers.js';
import { openStore } from './open-store.js';
import { secretsIn } from './secrets.js';
import type { Session, SessionOptions } from './session.js';
import { storeForReading } from './store-for-reading.js';
import { usableEntry } from './usable-entry.js';

/**
 * Puts all packages together for one configuration: the only place where it is decided which parts there are. Rejects
 * as `loadConfig` does; a server with a mistake is a problem of the configuration, not of the session.
 */
export async function createSession(options: SessionOptions = {}): Promise<Session> {
  const { logger, clock, callbacks } = options;
  const { loaded, approvals, transports, auth: others, home } = await loadServers(options);
  const { store, close } = openStore({ ...options, home });
  let storeError: FittingsError | undefined;
  const readable = storeForReading(store, (error) => {
    storeError = error;
    options.onStoreUnavailable?.(error);
  });
  const { plugins: ours, sharesSignIn } = createAuth(loaded, readable, options);
  // OAuth takes any URL, so that what the user added is asked first.
  const auth = [...others, ...ours];
  const host = createHost({
    engine: sdk({
      name: 'fittings',
      version: packageVersion(),
      ...(sharesSignIn && { extensions: { [XAA_EXTENSION]: {} } }),
    }),
    transports,
    auth,
    callbacks,
    logger,
    clock,
  });
  const end = async (): Promise<void> => {
    await host.close();
    await close();
  };
  const chosen = (names: readonly string[], more: ServerConfig): Record<string, ServerConfig> =>
    Object.fromEntries(names.map((name) => [name, { ...usableEntry(name, loaded), ...more }]));
  return {
    loaded,
    approvals,
    store,
    transports,
    auth,
    host,
    secrets: secretsIn(loaded),
    loginCommand(server) {
      const flag = storeError === undefined ? options.storeFlag : 'file';
      return `fittings login ${server}${flag === undefined ? '' : ` --store ${flag}`}`;
    },
    get storeError() {
      return storeError;
    },
    async connect(names) {
      return host.connect(names === undefined ? loaded.servers : chosen(names, {}));
    },
    async know(names) {
      await host.connect(chosen(names, { lazy: true }));
    },
    close: end,
    [Symbol.asyncDispose]: end,
  };
}
