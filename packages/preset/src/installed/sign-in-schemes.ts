import {
  type AuthPlugin,
  FittingsError,
  type ServerConfig,
  type TokenStore,
} from '@mcp-fittings/client-core';
import type { ServerEntry } from '@mcp-fittings/config';
import type { HostOptions } from '@mcp-fittings/host';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { OpenHostOptions } from '../options.js';

interface SchemeOptions extends Pick<OpenHostOptions, 'name' | 'title' | 'interaction' | 'auth' | 'without'> {
  /** Returns the entries of the configuration as it is now. */
  readonly entries: () => readonly ServerEntry[];
  readonly store: TokenStore;
}

/** Chooses the sign-in schemes of an entry, and imports none before an entry needs it. */
export class SignInSchemes {
  readonly #options: SchemeOptions;
  #google: Promise<AuthPlugin> | undefined;
  #oauth: Promise<AuthPlugin> | undefined;
  #xaa: { readonly settings: string; readonly plugin: AuthPlugin } | undefined;

  constructor(options: SchemeOptions) {
    this.#options = options;
  }

  /** Returns the schemes in the order in which they are tried. OAuth accepts any URL, so those of the program come first. */
  async forEntry(config: ServerConfig): Promise<readonly AuthPlugin[]> {
    const { auth = [], without = [] } = this.#options;
    const scheme = schemeOf(config);
    if (scheme === undefined || without.includes(scheme)) return auth;
    return [...auth, await this.#load(scheme)];
  }

  /** Returns the protocol extensions to declare: one sign-in serves several servers. */
  async extensions(): Promise<HostOptions['extensions']> {
    const entries = this.#options.entries();
    if (!entries.some(({ config = {} }) => schemeOf(config) === 'xaa')) return undefined;
    const { XAA_EXTENSION, identityProviderFromEntries } = await import('@mcp-fittings/auth-xaa');
    try {
      return identityProviderFromEntries(entries).settings && { [XAA_EXTENSION]: {} };
    } catch {
      // Each server that needs the identity provider reports what is wrong with it.
      return undefined;
    }
  }

  async #load(scheme: SchemeName): Promise<AuthPlugin> {
    if (scheme === 'xaa') return this.#sharedSignIn();
    if (scheme === 'google')
      return (this.#google ??= import('@mcp-fittings/auth-google').then(({ google }) => google()));
    return (this.#oauth ??= import('@mcp-fittings/auth-oauth').then(
      ({ interactionForEnvironment, oauth }) => {
        const { name, title = name, store, interaction = interactionForEnvironment() } = this.#options;
        return oauth({ clientName: title, store, interaction });
      },
    ));
  }

  async #sharedSignIn(): Promise<AuthPlugin> {
    const [{ identityProviderFromEntries, xaa }, { interactionForEnvironment }] = await Promise.all([
      import('@mcp-fittings/auth-xaa'),
      import('@mcp-fittings/auth-oauth'),
    ]);
    const { entries, store, interaction = interactionForEnvironment() } = this.#options;
    const { settings: identityProvider } = identityProviderFromEntries(entries());
    if (identityProvider === undefined) return NO_IDENTITY_PROVIDER;
    const settings = JSON.stringify(identityProvider);
    if (this.#xaa?.settings !== settings)
      this.#xaa = { settings, plugin: xaa({ identityProvider, store, interaction }) };
    return this.#xaa.plugin;
  }
}

type SchemeName = 'oauth' | 'google' | 'xaa';

/** Returns the scheme that an entry needs, if it needs one. */
function schemeOf({ oauth, authProviderType, url }: ServerConfig): SchemeName | undefined {
  if (isRecord(oauth) && oauth['xaa'] === true && oauth['enabled'] !== false) return 'xaa';
  if (url === undefined) return undefined;
  const isGoogle =
    authProviderType === 'google_credentials' || authProviderType === 'service_account_impersonation';
  return isGoogle ? 'google' : 'oauth';
}

/** Fails for entries that require the shared sign-in. */
const NO_IDENTITY_PROVIDER: AuthPlugin = {
  specVersion: 1,
  scheme: 'xaa',
  create({ name }) {
    throw new FittingsError(
      'CONFIG_INVALID',
      `No identity provider is configured for the server "${name}".`,
      {
        server: name,
        hint: 'Set "oauth.identityProvider" of an entry in your own file; the files of a project are ignored.',
      },
    );
  },
};
