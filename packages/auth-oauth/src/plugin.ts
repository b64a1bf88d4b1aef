import { FittingsError, nearestNames, sanitizeText, type AuthPlugin } from '@mcp-fittings/client-core/auth';
import {
  count,
  entrySchema,
  flag,
  listOf,
  oneOf,
  readEntry,
  text,
} from '@mcp-fittings/client-core/transport';
import { createClientCredentialsProvider } from './machine/client-credentials.js';
import { createWorkloadProvider, type WorkloadOptions } from './machine/workload.js';
import { hasOwnCredentials } from './own-credentials.js';
import { networkFor } from './entry-network.js';
import { checkClientMetadataUrl } from './registration/client-metadata-url.js';
import { entryIdentity } from './provider/entry-identity.js';
import { createOAuthProvider } from './provider/oauth-provider.js';
import type { OAuthProviderOptions } from './provider/options.js';

/** What a host decides for all of its servers; an entry's `oauth` says the rest. */
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
  | 'callbackPort'
  | 'redirectUri'
  | 'identity'
> & {
  /** The JWT of this workload, for servers whose entry says `oauth: { grant: "jwt_bearer" }`. */
  readonly assertion?: WorkloadOptions['assertion'] | undefined;
};

/** The `oauth` member of a config entry. */
const OAUTH = entrySchema({
  enabled: flag(),
  clientId: text({ minLength: 1 }),
  clientSecret: text({ minLength: 1 }),
  issuer: text({ minLength: 1 }),
  authorizationUrl: text({ minLength: 1 }),
  tokenUrl: text({ minLength: 1 }),
  authServerMetadataUrl: text({ minLength: 1 }),
  grant: oneOf('authorization_code', 'client_credentials', 'jwt_bearer'),
  scopes: listOf(text({ minLength: 1 })),
  callbackPort: count({ min: 1, max: 65_535 }),
  redirectUri: text({ minLength: 1 }),
  allowedEndpointOrigins: listOf(text({ minLength: 1 })),
  allowMissingPkceSupport: flag(),
  xaa: flag(),
});

/**
 * Signs in to every server that is reached by a URL and has no credentials of its own in its entry (`apiKey`, an
 * `Authorization` header), unless the entry says `oauth: { enabled: false }` or leaves it to XAA. Throws `CONFIG_INVALID`,
 * also for an `authProviderType` that is another plugin's: such an entry never falls back to OAuth.
 */
export function oauth(options: OAuthPluginOptions): AuthPlugin {
  checkClientMetadataUrl(options.clientMetadataUrl);
  return {
    specVersion: 1,
    scheme: 'oauth',
    create(configured, { logger, clock }) {
      const { name, config } = configured;
      const url = config['url'];
      if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
      checkProviderType(name, config['authProviderType']);
      if (hasOwnCredentials(config)) return undefined;
      const entry = readEntry(OAUTH, config['oauth'] ?? {}, { server: name, member: 'oauth' });
      if (entry.enabled === false || entry.xaa === true) return undefined;
      const { authorizationUrl, tokenUrl, authServerMetadataUrl: metadataUrl } = entry;
      const common = {
        ...options,
        network: networkFor(config, name, options.network),
        url,
        server: name,
        identity: entryIdentity(configured),
        logger,
        clock,
        clientId: entry.clientId,
        clientSecret: entry.clientSecret,
        clientIssuer: entry.issuer ?? options.clientIssuer,
        endpoints: { authorizationUrl, tokenUrl, metadataUrl },
        scopes: entry.scopes,
        allowedEndpointOrigins: entry.allowedEndpointOrigins ?? options.allowedEndpointOrigins,
      };
      if (entry.grant === 'client_credentials') {
        return createClientCredentialsProvider({
          ...common,
          clientId: entry.clientId ?? missing(name, 'a "clientId"'),
        });
      }
      if (entry.grant === 'jwt_bearer') {
        return createWorkloadProvider({
          ...common,
          assertion: options.assertion ?? missing(name, 'an "assertion" from the host'),
        });
      }
      return createOAuthProvider({
        ...common,
        callbackPort: entry.callbackPort,
        redirectUri: entry.redirectUri,
        allowMissingPkceSupport: entry.allowMissingPkceSupport ?? options.allowMissingPkceSupport,
      });
    },
  };
}

/** Other plugins' values, with where they are from. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  google_credentials: 'google() of @mcp-fittings/auth-google',
  service_account_impersonation: 'google() of @mcp-fittings/auth-google',
};
/** Ours: the sign-in that the server itself names. */
const OWN_TYPE = 'dynamic_discovery';

/** An entry that names a way to sign in is signed in to in that way, or not at all. */
function checkProviderType(server: string, type: unknown): void {
  if (type === undefined || type === OWN_TYPE) return;
  const shown = typeof type === 'string' ? sanitizeText(type, { maxLength: 80 }) : typeof type;
  const plugin = typeof type === 'string' && Object.hasOwn(OTHER_TYPES, type) ? OTHER_TYPES[type] : undefined;
  throw new FittingsError(
    'CONFIG_INVALID',
    `"authProviderType" of the server "${server}" is "${shown}", which oauth() does not provide.`,
    {
      server,
      hint:
        plugin === undefined
          ? `${spellingHint(shown)} Values of other plugins need that plugin in "auth", before oauth().`
          : `Put ${plugin} into "auth", before oauth().`,
    },
  );
}

function spellingHint(type: string): string {
  const known = [OWN_TYPE, ...Object.keys(OTHER_TYPES)];
  const near = nearestNames(type, known);
  const meant = near.length > 0 ? near : known.filter((each) => each.endsWith(type.replace(/^.*[-_ ]/, '')));
  return meant.length > 0 ? `Did you mean ${meant.join(' or ')}?` : `Known values are ${known.join(', ')}.`;
}

function missing(server: string, what: string): never {
  throw new FittingsError('CONFIG_INVALID', `The grant of the server "${server}" needs ${what}.`, { server });
}
