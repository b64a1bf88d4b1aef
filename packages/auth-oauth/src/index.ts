/** OAuth 2.1 sign-in to MCP servers. */

/** Sign-in of a person. */
export { oauth, type OAuthPluginOptions } from './plugin.js';
export { createOAuthProvider } from './create-oauth-provider.js';
export type { OAuthProviderOptions, TokenProviderOptions } from './options.js';
export type { WebSignIn } from './provider/web-sign-in.js';
export { discoverSignIn, readStoredSignIn } from './inspect.js';

/** Interactions, with which a person takes part. */
export { loopback, type LoopbackOptions } from './interaction/loopback.js';
export { pasteBack, type PasteBackOptions } from './interaction/paste-back.js';
export {
  detectEnvironment,
  interactionForEnvironment,
  type EnvironmentOptions,
} from './interaction/environment.js';
export { openBrowser } from './interaction/open-browser.js';
export {
  deviceCode,
  type DeviceInteraction,
  type DevicePrompt,
  type Interaction,
  type InteractionChooser,
  type InteractionOptions,
  type InteractionSession,
  type SignInInteraction,
} from './interaction/interaction.js';

/** Credentials without a person. */
export {
  createClientCredentialsProvider,
  type ClientCredentialsOptions,
} from './non-interactive/client-credentials.js';
export { createWorkloadProvider, type WorkloadOptions } from './non-interactive/workload-identity.js';
export { createBearerProvider } from './non-interactive/bearer-token.js';
export { createHeadersCommandProvider } from './non-interactive/headers-command.js';

/** In the transports of the official SDKs. */
export { authorizedFetch } from './official-sdk/authorized-fetch.js';
export { toSdkAuthProvider } from './official-sdk/sdk-auth-provider.js';
