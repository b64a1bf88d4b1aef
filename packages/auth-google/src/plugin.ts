import { FittingsError, isRecord, type AuthPlugin, type ServerConfig } from '@mcp-fittings/client-core';
import { entrySchema, listOf, oneOf, readEntry, required, text } from '@mcp-fittings/client-core/transport';
import { createGoogleProvider } from './google-provider.js';
import type { GoogleProviderOptions } from './options.js';

/** What a host decides for all of its servers; their entries say the rest. */
export type GooglePluginOptions = Pick<
  GoogleProviderOptions,
  'hosts' | 'endpoints' | 'network' | 'timeoutMs'
>;

const TYPES = ['google_credentials', 'service_account_impersonation'] as const;

/** The members of a config entry that are ours. */
const ENTRY = entrySchema({
  url: required(text({ minLength: 1 })),
  authProviderType: required(oneOf(...TYPES)),
  targetAudience: text({ minLength: 1 }),
  targetServiceAccount: text({ minLength: 1 }),
});
const OAUTH = entrySchema({ scopes: listOf(text({ minLength: 1 })) });

/**
 * Signs the requests to every server whose entry says `authProviderType: "google_credentials"` or
 * `"service_account_impersonation"`. Put it before plugins that take any server with a URL, such as `oauth()`.
 */
export function google(options: GooglePluginOptions = {}): AuthPlugin {
  return {
    specVersion: 1,
    scheme: 'google',
    create({ name, config }, { clock }) {
      if (!TYPES.some((type) => type === config['authProviderType'])) return undefined;
      const entry = readEntry(ENTRY, config, { server: name });
      const { scopes } = readEntry(OAUTH, config['oauth'] ?? {}, { server: name, member: 'oauth' });
      const impersonates = entry.authProviderType === 'service_account_impersonation';
      if (impersonates !== (entry.targetServiceAccount !== undefined)) {
        throw new FittingsError(
          'CONFIG_INVALID',
          `The entry of the server "${name}" is not valid: "service_account_impersonation" and "targetServiceAccount" go together.`,
          { server: name },
        );
      }
      return createGoogleProvider({
        // Its `network` as well: the proxy and the authorities of an entry are for its server, not for a person's credentials.
        ...options,
        url: entry.url,
        server: name,
        scopes,
        audience: entry.targetAudience,
        serviceAccount: entry.targetServiceAccount,
        quotaProject: configuredProject(config),
        clock,
      });
    },
  };
}

function configuredProject({ headers }: ServerConfig): string | undefined {
  if (!isRecord(headers)) return undefined;
  const [, value] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-goog-user-project') ?? [];
  return typeof value === 'string' ? value : undefined;
}
