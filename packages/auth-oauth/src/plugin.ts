import { type AuthPlugin, FittingsError } from '@mcp-fittings/client-core';
import {
  checkOptions,
  count,
  entrySchema,
  flag,
  listOf,
  oneOf,
  readEntry,
  text,
  type OptionNames,
} from '@mcp-fittings/toolbox/entries';
import { isSocketUrl } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { nearestNames, sanitizeText } from '@mcp-fittings/toolbox/text';
import { credentialIdentity, hasStaticCredentials, networkFor } from './config-entry.js';
import { createOAuthProvider } from './create-oauth-provider.js';
import { interactionFor } from './interaction/interaction-for.js';
import { createClientCredentialsProvider } from './non-interactive/client-credentials.js';
import { createWorkloadProvider, type WorkloadOptions } from './non-interactive/workload-identity.js';
import type { OAuthProviderOptions } from './options.js';
import { checkClientMetadataUrl } from './registration/client-metadata-url.js';

/**
 * Options of {@link oauth}: what a host decides for all of its servers. The `oauth` member of a server's entry sets the
 * rest, and takes precedence.
 */
export type OAuthPluginOptions = Omit<
  OAuthProviderOptions,
  | 'url'
  | 'server'
  | 'clock'
  | 'logger'
  | 'clientId'
  | 'clientSecret'
  | 'endpoints'
  | 'scopes'
  | 'resource'
  | 'loginHint'
  | 'callbackPort'
  | 'redirectUri'
  | 'identity'
> & {
  /** Returns the JWT of this workload, for servers whose entry has `oauth: { grant: "jwt_bearer" }`. Default: none. */
  readonly assertion?: WorkloadOptions['assertion'] | undefined;
};

const OPTIONS: OptionNames<OAuthPluginOptions> = {
  clientName: true,
  clientUri: true,
  store: true,
  interaction: true,
  principal: true,
  clientKey: true,
  clientIssuer: true,
  clientMetadataUrl: true,
  registration: true,
  allowMissingPkceSupport: true,
  allowedEndpointOrigins: true,
  dpop: true,
  network: true,
  assertion: true,
};

/** Without a name or a store, a sign-in would fail in the middle. */
function checkRequired({ clientName, store }: Readonly<Record<string, unknown>>): void {
  if (typeof clientName === 'string' && isRecord(store) && typeof store['withLock'] === 'function') return;
  throw new FittingsError(
    'CONFIG_INVALID',
    'oauth() requires "clientName", the name of your program, and "store", a token store.',
    { hint: "For example: oauth({ clientName: 'My agent', store: keychainStore() })." },
  );
}

/** The `oauth` member of a server's entry. */
const OAUTH = entrySchema({
  enabled: flag(),
  clientId: text({ minLength: 1 }),
  clientSecret: text({ minLength: 1 }),
  issuer: text({ minLength: 1 }),
  authorizationUrl: text({ minLength: 1 }),
  tokenUrl: text({ minLength: 1 }),
  authServerMetadataUrl: text({ minLength: 1 }),
  grant: oneOf('authorization_code', 'client_credentials', 'jwt_bearer', 'token_exchange'),
  scopes: listOf(text({ minLength: 1 })),
  resource: flag(),
  account: text({ minLength: 1 }),
  callbackPort: count({ min: 1, max: 65_535 }),
  redirectUri: text({ minLength: 1 }),
  allowedEndpointOrigins: listOf(text({ minLength: 1 })),
  allowMissingPkceSupport: flag(),
  xaa: flag(),
});

/**
 * Creates the auth plugin that signs in to servers with OAuth 2.1. It accepts every server that has a `url`, unless its
 * entry has credentials (`apiKey`, an `Authorization` header), `oauth: { enabled: false }`, or `oauth: { xaa: true }`, or the `url` is
 * that of a Unix socket or a named pipe.
 *
 * Throws `CONFIG_INVALID` for an invalid option. So does its `create` for an invalid entry, and for an `authProviderType` of
 * another plugin: such an entry never falls back to OAuth.
 * @example
 * ```ts
 * const host = createHost({
 *   name: 'my-app',
 *   version: '1.0.0',
 *   transports: [http()],
 *   auth: [oauth({ clientName: 'My App', store: memoryStore(), interaction: interactionForEnvironment() })],
 * });
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function oauth(options: OAuthPluginOptions): AuthPlugin {
  checkRequired(checkOptions('oauth()', options, OPTIONS));
  checkClientMetadataUrl(options.clientMetadataUrl);
  return {
    specVersion: 1,
    scheme: 'oauth',
    separatesPrincipals: true,
    create(configured, { logger, clock }) {
      const { name, config } = configured;
      const url = config['url'];
      if (typeof url !== 'string' || !URL.canParse(url) || isSocketUrl(url)) return undefined;
      checkProviderType(name, config['authProviderType']);
      if (hasStaticCredentials(config)) return undefined;
      const entry = readEntry(OAUTH, config['oauth'] ?? {}, { server: name, member: 'oauth' });
      if (entry.enabled === false || entry.xaa === true) return undefined;
      const { authorizationUrl, tokenUrl, authServerMetadataUrl: metadataUrl } = entry;
      const common = {
        ...options,
        network: networkFor(config, name, options.network),
        url,
        server: name,
        identity: credentialIdentity(configured),
        principal: configured.principal ?? options.principal,
        interaction: interactionFor(configured.principal, options.interaction),
        logger,
        clock,
        clientId: entry.clientId,
        clientSecret: entry.clientSecret,
        clientIssuer: entry.issuer ?? options.clientIssuer,
        endpoints: { authorizationUrl, tokenUrl, metadataUrl },
        scopes: entry.scopes,
        resource: entry.resource,
        allowedEndpointOrigins: entry.allowedEndpointOrigins ?? options.allowedEndpointOrigins,
      };
      if (entry.grant === 'client_credentials') {
        return createClientCredentialsProvider({
          ...common,
          clientId: entry.clientId ?? missing(name, entry.grant, 'a "clientId" in its entry'),
        });
      }
      if (entry.grant === 'jwt_bearer') {
        return createWorkloadProvider({
          ...common,
          assertion: options.assertion ?? missing(name, entry.grant, 'the "assertion" option of oauth()'),
        });
      }
      if (entry.grant === 'token_exchange')
        missing(name, entry.grant, 'tokenExchange() in "auth" before oauth()');
      return createOAuthProvider({
        ...common,
        loginHint: entry.account,
        callbackPort: entry.callbackPort,
        redirectUri: entry.redirectUri,
        allowMissingPkceSupport: entry.allowMissingPkceSupport ?? options.allowMissingPkceSupport,
      });
    },
  };
}

/** Values of `authProviderType` that other plugins handle. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  google_credentials: 'google() of @mcp-fittings/auth-google',
  service_account_impersonation: 'google() of @mcp-fittings/auth-google',
};
/** The value of this plugin: the server names its authorization server. */
const OWN_TYPE = 'dynamic_discovery';

/** An entry with an `authProviderType` is signed in to in that way, or not at all. */
function checkProviderType(server: string, type: unknown): void {
  if (type === undefined || type === OWN_TYPE) return;
  const shown = typeof type === 'string' ? sanitizeText(type, { maxLength: 80 }) : typeof type;
  const plugin = typeof type === 'string' && Object.hasOwn(OTHER_TYPES, type) ? OTHER_TYPES[type] : undefined;
  throw new FittingsError(
    'CONFIG_INVALID',
    `The server "${server}" has the "authProviderType" "${shown}", which oauth() does not support.`,
    {
      server,
      hint:
        plugin === undefined
          ? `${spellingHint(shown)} If another plugin supports it, add that plugin to "auth" before oauth().`
          : `Add ${plugin} to "auth" before oauth().`,
    },
  );
}

function spellingHint(type: string): string {
  const known = [OWN_TYPE, ...Object.keys(OTHER_TYPES)];
  const near = nearestNames(type, known);
  const meant = near.length > 0 ? near : known.filter((each) => each.endsWith(type.replace(/^.*[-_ ]/, '')));
  return meant.length > 0 ? `Did you mean ${meant.join(' or ')}?` : `Known values are ${known.join(', ')}.`;
}

function missing(server: string, grant: string, what: string): never {
  throw new FittingsError(
    'CONFIG_INVALID',
    `The grant "${grant}" of the server "${server}" requires ${what}.`,
    { server },
  );
}
