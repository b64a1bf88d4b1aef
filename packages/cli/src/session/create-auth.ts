import { google } from '@mcp-fittings/auth-google';
import { oauth } from '@mcp-fittings/auth-oauth';
import {
  type IdentityProviderConfig,
  XAA_EXTENSION,
  identityProviderFromEntries,
  xaa,
} from '@mcp-fittings/auth-xaa';
import {
  type AuthPlugin,
  type AuthProvider,
  type Clock,
  FittingsError,
  type Logger,
  type ServerConfig,
  type TokenStore,
} from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { LoadedConfig } from '@mcp-fittings/config';
import { CommandError } from '../output/hints.js';
import type { ConfiguredHostOptions } from './configured-host.js';

export interface Auth {
  readonly plugins: readonly AuthPlugin[];
  /** Capabilities that servers are told of. */
  readonly extensions: Readonly<Record<string, Record<string, never>>> | undefined;
}

/**
 * Creates the sign-in schemes in the order in which they are tried. Schemes that an entry names come before OAuth, which
 * accepts any URL.
 */
export function createAuth(
  { entries }: LoadedConfig,
  store: TokenStore,
  { interaction }: Pick<ConfiguredHostOptions, 'interaction'>,
): Auth {
  const bind = (plugin: AuthPlugin): AuthPlugin => withIdentity(plugin, entries);
  const others = [google(), bind(oauth({ clientName: 'fittings', store, interaction }))];
  let settings: IdentityProviderConfig | undefined;
  let settingsError: unknown;
  try {
    ({ settings } = identityProviderFromEntries(entries));
  } catch (error) {
    settingsError = error;
  }
  if (settings === undefined)
    return { plugins: [withoutIdentityProvider(settingsError), ...others], extensions: undefined };
  return {
    plugins: [bind(xaa({ identityProvider: settings, store, interaction })), ...others],
    // One sign-in serves several servers.
    extensions: { [XAA_EXTENSION]: {} },
  };
}

/**
 * Binds credentials to the entry that they were obtained for: a project's server does not get those of the user's own.
 */
function withIdentity(plugin: AuthPlugin, entries: LoadedConfig['entries']): AuthPlugin {
  return {
    ...plugin,
    create(server, context) {
      const entry = entries.find(({ name, status }) => name === server.name && status === 'ready');
      return plugin.create({ ...server, identity: entry?.identity ?? entry?.id }, context);
    },
  };
}

/** Fails for entries that require the shared sign-in without an identity provider, and accepts no others. */
function withoutIdentityProvider(settingsError: unknown): AuthPlugin {
  return {
    specVersion: 1,
    scheme: 'xaa',
    create({ name, config }) {
      const member = config['oauth'];
      if (!isRecord(member) || member['xaa'] !== true || member['enabled'] === false) return undefined;
      if (settingsError instanceof FittingsError) throw settingsError;
      throw new CommandError(
        'CONFIG_INVALID',
        `No identity provider is configured for the server "${name}".`,
        {
          server: name,
          cause: settingsError,
          hint: 'Set "oauth.identityProvider" of an entry in your own file; the files of a project are ignored.',
        },
      );
    },
  };
}

/** Creates the provider that signs the requests to one server: that of the first scheme that takes the entry. */
export function createProvider(
  plugins: readonly AuthPlugin[],
  server: { readonly name: string; readonly config: ServerConfig },
  deps: { readonly logger?: Logger | undefined; readonly clock: Clock },
): AuthProvider | undefined {
  for (const plugin of plugins) {
    const provider = plugin.create(server, { logger: deps.logger, clock: deps.clock });
    if (provider !== undefined) return provider;
  }
  return undefined;
}
