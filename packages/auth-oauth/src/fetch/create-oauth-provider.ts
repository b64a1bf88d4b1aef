import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import type { HttpClient } from '@mcp-fittings/http-client';
import type { OAuthProviderOptions } from '../options.js';
import { createProvider } from '../provider/oauth-provider.js';
import type { WebSignIn } from '../provider/web-sign-in.js';
import { webPlatform } from './web-platform.js';

/** Options of `createOAuthProvider()` where `fetch` reaches the servers. */
export interface FetchProviderOptions extends Omit<OAuthProviderOptions, 'network'> {
  /**
   * Sends the requests to servers, for example through a server of yours if an authorization server does not allow requests of pages.
   * Default: the `fetch` of the platform, within the limits of a sign-in.
   */
  readonly network?: Pick<HttpClient, 'fetch'> | undefined;
}

/**
 * Creates a provider that signs the requests to one MCP server with a person's OAuth 2.1 access tokens, as `createOAuthProvider()` of the
 * main entry point does. `startSignIn` and `completeSignIn` send the page to the authorization server and take it back; `store` has to
 * outlive that.
 *
 * Throws `CONFIG_INVALID` for an invalid option. Its methods reject with the same codes.
 * @example
 * ```ts
 * const provider = createOAuthProvider({ url: 'https://mcp.example.com/mcp', clientName: 'My Page', store });
 * if (location.search.includes('state=')) await provider.completeSignIn(location.href);
 * ```
 */
export function createOAuthProvider(options: FetchProviderOptions): AuthProvider & WebSignIn {
  const { network, server } = options;
  if (network !== undefined && !('fetch' in network)) throw refused(server);
  return createProvider(options, webPlatform);
}

/** A proxy or a certificate that is left out without a word could send credentials where they must not go. */
function refused(server: string | undefined): FittingsError {
  return new FittingsError(
    'CONFIG_INVALID',
    '`network` must have a `fetch` where `fetch` reaches the servers.',
    {
      server,
      hint: 'Import createOAuthProvider from "@mcp-fittings/auth-oauth", which needs Node.js, Bun or Deno.',
    },
  );
}
