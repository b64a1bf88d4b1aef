import type { AuthProvider } from '@mcp-fittings/client-core';
import { nodePlatform } from './node-platform.js';
import type { OAuthProviderOptions } from './options.js';
import { createProvider } from './provider/oauth-provider.js';
import type { WebSignIn } from './provider/web-sign-in.js';

/**
 * Creates a provider that signs the requests to one MCP server with a person's OAuth 2.1 access tokens. Only `signIn`
 * involves the person: tokens are refreshed before they expire, once for all processes that share the store, and everything
 * else that needs a person rejects with `AUTH_REQUIRED`.
 *
 * Throws `CONFIG_INVALID` for an invalid `clientMetadataUrl` or `redirectUri`. Its methods reject with `AUTH_REQUIRED`,
 * `AUTH_FAILED`, `AUTH_DISCOVERY_FAILED`, `AUTH_SCOPE_INSUFFICIENT`, the codes of the store and, for temporary failures,
 * the codes of the network.
 * @example
 * ```ts
 * const url = 'https://mcp.example.com/mcp';
 * const provider = createOAuthProvider({ url, clientName: 'My App', store: memoryStore(), interaction: loopback() });
 * await provider.signIn?.({}); // opens the browser
 * const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: authorizedFetch(provider, { url }) });
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function createOAuthProvider(options: OAuthProviderOptions): AuthProvider & WebSignIn {
  return createProvider(options, nodePlatform);
}
