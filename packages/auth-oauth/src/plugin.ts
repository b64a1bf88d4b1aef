import { FittingsError, type AuthPlugin } from '@mcp-fittings/client-core';
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
  allowMissingPkceSupport: flag(),
  xaa: flag(),
});

/**
 * Signs in to every server that is reached by a URL and has no credentials of its own in its entry (`apiKey`, an
 * `Authorization` header), unless the entry says `oauth: { enabled: false }` or leaves it to XAA.
 */
export function oauth(options: OAuthPluginOptions): AuthPlugin {
  return {
    specVersion: 1,
    scheme: 'oauth',
    create({ name, config }, { logger, clock }) {
      const url = config['url'];
      if (typeof url !== 'string' || !URL.canParse(url) || hasOwnCredentials(config)) return undefined;
      const entry = readEntry(OAUTH, config['oauth'] ?? {}, { server: name, member: 'oauth' });
      if (entry.enabled === false || entry.xaa === true) return undefined;
      const { authorizationUrl, tokenUrl, authServerMetadataUrl: metadataUrl } = entry;
      const common = {
        ...options,
        network: networkFor(config, name, options.network),
        url,
        server: name,
        logger,
        clock,
        clientId: entry.clientId,
        clientSecret: entry.clientSecret,
        clientIssuer: entry.issuer ?? options.clientIssuer,
        endpoints: { authorizationUrl, tokenUrl, metadataUrl },
        scopes: entry.scopes,
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
        allowMissingPkceSupport: entry.allowMissingPkceSupport ?? options.allowMissingPkceSupport,
      });
    },
  };
}

function missing(server: string, what: string): never {
  throw new FittingsError('CONFIG_INVALID', `The grant of the server "${server}" needs ${what}.`, { server });
}
