import { type AuthPlugin, FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { entrySchema, listOf, oneOf, readEntry, required, text } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { createGoogleProvider } from './google-provider.js';
import type { GoogleProviderOptions } from './options.js';

/** Options of {@link google}, which apply to all servers of a host. Their entries set the rest. */
export type GooglePluginOptions = Pick<
  GoogleProviderOptions,
  'hosts' | 'endpoints' | 'network' | 'timeoutMs'
>;

const TYPES = ['google_credentials', 'service_account_impersonation'] as const;

/** The members of an entry that the plugin reads. */
const ENTRY = entrySchema({
  url: required(text({ minLength: 1 })),
  authProviderType: required(oneOf(...TYPES)),
  targetAudience: text({ minLength: 1 }),
  targetServiceAccount: text({ minLength: 1 }),
});
const OAUTH = entrySchema({ scopes: listOf(text({ minLength: 1 })) });

/**
 * Creates the auth plugin for servers whose entry has the `authProviderType` `google_credentials` or
 * `service_account_impersonation`. Put it before plugins that accept any server with a URL, such as `oauth()`. Its `create`
 * throws `CONFIG_INVALID` for an invalid entry, and `POLICY_DENIED` for a server that must not receive a token.
 * @example
 * ```ts
 * const host = createHost({
 *   name: 'my-app',
 *   version: '1.0.0',
 *   transports: [http()],
 *   auth: [google({ hosts: ['mcp.example.com'] })],
 * });
 * ```
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
          `The server "${name}" must have both the "authProviderType" "service_account_impersonation" and a "targetServiceAccount", or neither.`,
          { server: name },
        );
      }
      return createGoogleProvider({
        // Including `network`: the proxy and certificates of an entry are for its server, not for the person's credentials.
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
