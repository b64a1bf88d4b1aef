import {
  checkClientMetadataUrl,
  credentialIdentity,
  hasStaticCredentials,
  interactionFor,
} from '@mcp-fittings/auth-oauth/toolkit';
import { type AuthPlugin, type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { isSocketUrl } from '@mcp-fittings/toolbox/connect';
import { entrySchema, flag, listOf, readEntry, text } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isXaaUnsupported } from './errors.js';
import { createIdentityProvider, type IdentityProvider } from './identity-provider/identity-provider.js';
import type { IdentityProviderConfig, IdentityProviderOptions } from './identity-provider/options.js';
import type { XaaProviderOptions } from './options.js';

/**
 * The MCP extension that a client with this plugin declares: `createHost({ …, extensions: { [XAA_EXTENSION]: {} } })`.
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export const XAA_EXTENSION = 'io.modelcontextprotocol/enterprise-managed-authorization';

/** Options of {@link xaa}. */
export type XaaPluginOptions = Omit<IdentityProviderOptions, keyof IdentityProviderConfig | 'subjectToken'> &
  Pick<
    XaaProviderOptions,
    'allowedAuthorizationServers' | 'unannounced' | 'clientMetadataUrl' | 'clientKey' | 'dpop'
  > &
  (
    | {
        /** The default: a server whose authorization server does not support ID-JAGs cannot be used. */
        readonly policy?: 'managed-only' | undefined;
      }
    | {
        /** The plugin `fallback` signs in to a server that does not support ID-JAGs. A refusal is never a reason for it. */
        readonly policy: 'interactive-fallback';
        /** Signs in to servers that do not support XAA, such as `oauth(…)`. */
        readonly fallback: AuthPlugin;
      }
  ) & {
    /** The company's identity provider. From configuration files, use {@link identityProviderFromEntries}. */
    readonly identityProvider: IdentityProviderConfig;
    /**
     * As `subjectToken` of {@link createIdentityProvider}. In a host that serves several people, `principal` is the person whom a
     * call names; otherwise that of these options. Default: none.
     */
    readonly subjectToken?:
      | ((user: {
          readonly principal: string | undefined;
        }) => ReturnType<NonNullable<IdentityProviderOptions['subjectToken']>>)
      | undefined;
  };

/** The `oauth` member of a configuration entry. */
const OAUTH = entrySchema({
  enabled: flag(),
  xaa: flag(),
  clientId: text({ minLength: 1 }),
  clientSecret: text({ minLength: 1 }),
  issuer: text({ minLength: 1 }),
  allowedEndpointOrigins: listOf(text({ minLength: 1 })),
  scopes: listOf(text({ minLength: 1 })),
});

/** With these, an entry could send an ID-JAG to a server that it was not issued for. */
const FORBIDDEN = ['authorizationUrl', 'tokenUrl', 'authServerMetadataUrl'];

/** Number of principals whose servers share what is read and requested in this process; the sign-in itself is in the store. */
const MAX_PRINCIPALS = 1_000;

/**
 * Creates the plugin for servers whose entry has `oauth: { xaa: true }`. Those of one principal share one sign-in at the
 * company's identity provider. Put it before `oauth()` in the list of plugins.
 *
 * Throws `CONFIG_INVALID` for an invalid identity provider or `clientMetadataUrl`; an entry that sets endpoints is
 * `CONFIG_INVALID` when the host connects.
 * @example
 * const company = xaa({ identityProvider: { issuer: 'https://login.example.com', clientId: 'my-agent' }, store, interaction });
 * const host = createHost({ name, version, transports: [http()], auth: [company, oauth({ clientName: 'My Agent', store, interaction })] });
 */
export function xaa(options: XaaPluginOptions): AuthPlugin & {
  /** The shared sign-in: to sign in before a server asks for it, to sign out, or to switch the user. */
  readonly identityProvider: IdentityProvider;
} {
  checkClientMetadataUrl(options.clientMetadataUrl);
  const { identityProvider: settings, interaction, subjectToken, ...shared } = options;
  const { store, network } = shared;
  const identityProviderFor = (principal: string | undefined): IdentityProvider =>
    createIdentityProvider({
      ...settings,
      store,
      network,
      interaction: interactionFor(principal, interaction),
      subjectToken: subjectToken && (() => subjectToken({ principal: principal ?? options.principal })),
      principal: principal ?? options.principal,
      clock: options.clock,
      logger: options.logger,
    });
  const identityProvider = identityProviderFor(undefined);
  const ofPrincipals = new RecentMap<string, IdentityProvider>(MAX_PRINCIPALS);
  return {
    specVersion: 1,
    scheme: 'xaa',
    separatesPrincipals:
      options.policy !== 'interactive-fallback' || options.fallback.separatesPrincipals === true,
    identityProvider,
    create(server, authContext) {
      const { name, config, principal } = server;
      const { logger = options.logger, clock = options.clock } = authContext;
      const { url, oauth } = config;
      if (!isRecord(oauth) || oauth['xaa'] !== true || oauth['enabled'] === false) return undefined;
      if (typeof url !== 'string' || !URL.canParse(url) || isSocketUrl(url)) return undefined;
      if (hasStaticCredentials(config)) return undefined;
      const entry = readEntry(OAUTH, oauth, { server: name, member: 'oauth' });
      const forbidden = FORBIDDEN.find((member) => oauth[member] !== undefined);
      if (forbidden !== undefined) throw notWithXaa(name, forbidden);
      let company = identityProvider;
      if (principal !== undefined) {
        company = ofPrincipals.get(principal) ?? identityProviderFor(principal);
        ofPrincipals.set(principal, company);
      }
      const managed = company.createProvider({
        ...shared,
        url,
        server: name,
        identity: credentialIdentity(server),
        principal: principal ?? options.principal,
        logger,
        clock,
        clientId: entry.clientId,
        clientSecret: entry.clientSecret,
        // The key does not belong to a client that has a secret.
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
    `The entry of the server "${server}" sets "oauth.${member}", which cannot be used with XAA.`,
    { server, hint: `Remove "oauth.${member}": the authorization server is discovered from metadata.` },
  );
}

/**
 * Uses `managed` until it turns out that the server's authorization server does not support ID-JAGs, and `interactive` from then
 * on. A refusal does not switch: what the company forbids is not requested in another way.
 */
function withFallback(managed: AuthProvider, interactive: AuthProvider): AuthProvider {
  let current = managed;
  const withCurrent = async <T>(work: (provider: AuthProvider) => Promise<T>): Promise<T> => {
    try {
      return await work(current);
    } catch (error) {
      if (current === interactive || !isXaaUnsupported(error)) throw error;
      current = interactive;
      return work(interactive);
    }
  };
  return {
    headers: (request) => withCurrent((provider) => provider.headers(request)),
    onChallenge: (challenge) => withCurrent((provider) => provider.onChallenge(challenge)),
    onDpopNonce: (reply) => current.onDpopNonce?.(reply),
    signIn: (request) => withCurrent(async (provider) => provider.signIn?.(request)),
    hasNewSignIn: async (challenge) => (await current.hasNewSignIn?.(challenge)) === true,
    identity: async () => current.identity?.(),
    async signOut() {
      await managed.signOut?.();
      await interactive.signOut?.();
    },
  };
}
