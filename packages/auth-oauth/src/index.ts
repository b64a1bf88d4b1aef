/**
 * OAuth 2.1 sign-in to MCP servers. For authors of other sign-in schemes: `@mcp-fittings/auth-oauth/toolkit`.
 */

/** Sign-in of a person. */
export { oauth, type OAuthPluginOptions } from './plugin.js';
export { createOAuthProvider } from './provider/oauth-provider.js';
export type { OAuthProviderOptions, TokenProviderOptions } from './provider/options.js';
export type { StartedSignIn, StartSignInOptions, WebSignIn } from './provider/web-sign-in.js';
export type { ConfiguredEndpoints } from './discovery/discover.js';
export type { OAuthClientOptions } from './registration/client-registry.js';
export type { ClientKey } from './registration/oauth-client.js';

/** How a person takes part. */
export { loopback, type LoopbackOptions } from './interaction/loopback.js';
export type { LoopbackHost } from './interaction/redirect-uri.js';
export { pasteBack, type PasteBackOptions, type PasteBackQuestion } from './interaction/paste-back.js';
export {
  detectEnvironment,
  interactionForEnvironment,
  type EnvironmentOptions,
  type RuntimeEnvironment,
} from './interaction/environment.js';
export { openBrowser, type OpenBrowserOptions } from './interaction/open-browser.js';
export {
  deviceCode,
  type DeviceCodeOptions,
  type DeviceInteraction,
  type DevicePrompt,
  type Interaction,
  type InteractionChooser,
  type InteractionOptions,
  type InteractionSession,
  type SignInInteraction,
  type SupportedGrants,
} from './interaction/interaction.js';

/** Credentials without a person. */
export {
  createClientCredentialsProvider,
  type ClientCredentialsOptions,
} from './non-interactive/client-credentials.js';
export { createWorkloadProvider, type WorkloadOptions } from './non-interactive/workload-identity.js';
export { createBearerProvider, type BearerOptions } from './non-interactive/bearer-token.js';
export {
  createHeadersCommandProvider,
  type HeadersCommandOptions,
} from './non-interactive/headers-command.js';

/** In the transports of the official SDKs. */
export {
  authorizedFetch,
  type AuthorizedFetchOptions,
  type FetchFunction,
} from './official-sdk/authorized-fetch.js';
export {
  toSdkAuthProvider,
  type SdkAuthProvider,
  type SdkAuthProviderOptions,
} from './official-sdk/sdk-auth-provider.js';
export type { Fetcher } from './protocol/endpoint.js';
