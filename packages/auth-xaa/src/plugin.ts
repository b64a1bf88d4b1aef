import { checkClientMetadataUrl, entryIdentity, hasOwnCredentials } from '@mcp-fittings/auth-oauth/flows';
import { FittingsError, isRecord, type AuthPlugin } from '@mcp-fittings/client-core';
import { entrySchema, flag, listOf, readEntry, text } from '@mcp-fittings/client-core/transport';
import { withFallback } from './fallback.js';
import { createIdentityProvider, type IdentityProvider } from './idp/identity-provider.js';
import type { IdentityProviderOptions, IdentityProviderConfig } from './idp/options.js';
import type { XaaFallbackOptions, XaaSharedOptions } from './options.js';
import { createXaaProvider } from './xaa-provider.js';

export type XaaPluginOptions = Omit<IdentityProviderOptions, keyof IdentityProviderConfig> &
  XaaSharedOptions &
  XaaFallbackOptions & {
    /** Of the user or the company: see {@link identityProviderFromEntries} for where it may come from. */
    readonly identityProvider: IdentityProviderConfig;
    /** Whether access tokens are bound to a key (DPoP), see the OAuth provider. */
    readonly dpop?: 'auto' | 'always' | undefined;
  };

export interface XaaPlugin extends AuthPlugin {
  /** To sign in before any server asks, to sign out, or to change the person. */
  readonly identityProvider: IdentityProvider;
}

/** The `oauth` member of a config entry. */
const OAUTH = entrySchema({
  enabled: flag(),
  xaa: flag(),
  clientId: text({ minLength: 1 }),
  clientSecret: text({ minLength: 1 }),
  issuer: text({ minLength: 1 }),
  allowedEndpointOrigins: listOf(text({ minLength: 1 })),
  scopes: listOf(text({ minLength: 1 })),
});

/** With these, an entry could show an assertion to whom it was not made for. */
const FORBIDDEN = ['authorizationUrl', 'tokenUrl', 'authServerMetadataUrl'];

/**
 * Signs in to the servers whose entry says `oauth: { xaa: true }`; goes before `oauth()` in the list of plugins. They all
 * share one sign-in at the identity provider. Throws `CONFIG_INVALID`.
 */
export function xaa(options: XaaPluginOptions): XaaPlugin {
  checkClientMetadataUrl(options.clientMetadataUrl);
  const { identityProvider: settings, interaction, subjectToken, ...shared } = options;
  const { store, network } = shared;
  const identityProvider = createIdentityProvider({
    ...settings,
    store,
    network,
    interaction,
    subjectToken,
    principal: options.principal,
    clock: options.clock,
    logger: options.logger,
  });
  return {
    specVersion: 1,
    scheme: 'xaa',
    identityProvider,
    create(server, authContext) {
      const { name, config } = server;
      const { logger = options.logger, clock = options.clock } = authContext;
      const { url, oauth } = config;
      if (!isRecord(oauth) || oauth['xaa'] !== true || oauth['enabled'] === false) return undefined;
      if (typeof url !== 'string' || !URL.canParse(url) || hasOwnCredentials(config)) return undefined;
      const entry = readEntry(OAUTH, oauth, { server: name, member: 'oauth' });
      const forbidden = FORBIDDEN.find((member) => oauth[member] !== undefined);
      if (forbidden !== undefined) throw notWithXaa(name, forbidden);
      const managed = createXaaProvider({
        ...shared,
        url,
        server: name,
        identity: entryIdentity(server),
        identityProvider,
        logger,
        clock,
        clientId: entry.clientId,
        clientSecret: entry.clientSecret,
        // The key is another client's than one that has a secret.
        clientKey: entry.clientSecret === undefined ? options.clientKey : undefined,
        clientIssuer: entry.issuer,
        scopes: entry.scopes,
        allowedEndpointOrigins: entry.allowedEndpointOrigins,
      });
      if (options.policy !== 'interactive-fallback') return managed;
      const { xaa: _, ...alone } = oauth;
      const interactive = options.fallback.create(
        { ...server, config: { ...config, oauth: alone } },
        authContext,
      );
      return interactive === undefined ? managed : withFallback(managed, interactive);
    },
  };
}

function notWithXaa(server: string, member: string): FittingsError {
  return new FittingsError(
    'CONFIG_INVALID',
    `The entry of the server "${server}" has "oauth.${member}", which can not be used with XAA.`,
    { server, hint: 'Its authorization server is found by its metadata only.' },
  );
}
