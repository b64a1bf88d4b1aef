import { google } from '@mcp-fittings/auth-google';
import { oauth } from '@mcp-fittings/auth-oauth';
import { type IdentityProviderSettings, identityProviderFrom, xaa } from '@mcp-fittings/auth-xaa';
import {
  type AuthPlugin,
  type AuthProvider,
  type Clock,
  FittingsError,
  type Logger,
  type ServerConfig,
  type TokenStore,
  isRecord,
} from '@mcp-fittings/client-core';
import type { LoadedConfig } from '@mcp-fittings/config';
import type { SessionOptions } from './session.js';
import { CommandError } from '../output/hints.js';

export interface Auth {
  readonly plugins: readonly AuthPlugin[];
  /** Servers may be told that one sign-in serves all of them. */
  readonly sharesSignIn: boolean;
}

/** The ways to sign in, each asked in turn: what an entry says by name goes before OAuth, which takes any URL. */
export function createAuth(
  { entries }: LoadedConfig,
  store: TokenStore,
  { interaction }: Pick<SessionOptions, 'interaction'>,
): Auth {
  const of = (plugin: AuthPlugin): AuthPlugin => withIdentity(plugin, entries);
  const others = [google(), of(oauth({ clientName: 'fittings', store, interaction }))];
  let settings: IdentityProviderSettings | undefined;
  let mistake: unknown;
  try {
    ({ settings } = identityProviderFrom(entries));
  } catch (error) {
    mistake = error;
  }
  if (settings === undefined)
    return { plugins: [withoutIdentityProvider(mistake), ...others], sharesSignIn: false };
  return {
    plugins: [of(xaa({ identityProvider: settings, store, interaction })), ...others],
    sharesSignIn: true,
  };
}

/** Credentials belong to the entry that they were obtained for: a project's server is not given those of the person's own. */
function withIdentity(plugin: AuthPlugin, entries: LoadedConfig['entries']): AuthPlugin {
  return {
    ...plugin,
    create(server, context) {
      const entry = entries.find(({ name, status }) => name === server.name && status === 'ready');
      return plugin.create({ ...server, identity: entry?.identity ?? entry?.id }, context);
    },
  };
}

/** Servers that want the shared sign-in say what is missing for it; nobody else is concerned. */
function withoutIdentityProvider(mistake: unknown): AuthPlugin {
  return {
    specVersion: 1,
    scheme: 'xaa',
    create({ name, config }) {
      const member = config['oauth'];
      if (!isRecord(member) || member['xaa'] !== true || member['enabled'] === false) return undefined;
      if (mistake instanceof FittingsError) throw mistake;
      throw new CommandError(
        'CONFIG_INVALID',
        `No identity provider is configured for the server "${name}".`,
        {
          server: name,
          cause: mistake,
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
