/** For hosts: OAuth 2.1 sign-in to one server, or to all of a host. Authors of a sign-in scheme: `./flows`. */
export { oauth, type OAuthPluginOptions } from './plugin.js';
export { createOAuthProvider } from './provider/oauth-provider.js';
export type { OAuthProviderOptions } from './provider/options.js';
/** Sign-in of a web application: the person may come back to another process. */
export type { StartedSignIn, StartSignInOptions, WebSignIn } from './provider/web-sign-in.js';
export type { TokenProviderOptions } from './provider/options.js';
export type { ConfiguredEndpoints } from './discovery/discover.js';
export type { OAuthClientOptions } from './registration/client-registry.js';
export type { ClientKey } from './registration/oauth-client.js';
/** How a person signs in. */
export { loopback, type LoopbackOptions } from './interaction/loopback.js';
export type { LoopbackHost } from './interaction/redirect-uri.js';
export { pasteBack, type PasteBackOptions, type PasteBackQuestion } from './interaction/paste-back.js';
export { deviceCode } from './interaction/interaction.js';
export {
  interactionForEnvironment,
  detectEnvironment,
  type EnvironmentOptions,
  type RuntimeEnvironment,
} from './interaction/environment.js';
export { openBrowser, type OpenBrowserOptions } from './interaction/open-browser.js';
export type {
  DeviceInteraction,
  DevicePrompt,
  Interaction,
  InteractionOptions,
  InteractionSession,
  SignInInteraction,
  InteractionChooser,
} from './interaction/interaction.js';
/** Without a person. */
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
/** In transports that are not ours. */
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
