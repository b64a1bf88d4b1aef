/** For hosts: OAuth 2.1 sign-in to one server, or to all of a host. Authors of a sign-in scheme: `./flows`. */
export { oauth, type OAuthPluginOptions } from './plugin.js';
export { createOAuthProvider } from './provider/oauth-provider.js';
export type { OAuthProviderOptions } from './provider/options.js';
/** Sign-in of a web application: the person may come back to another process. */
export type { StartedSignIn, StartSignInOptions, WebSignIn } from './provider/web-sign-in.js';
export type { TokenProviderOptions } from './provider/context.js';
export type { ConfiguredEndpoints } from './discovery/discover.js';
export type { ClientIdentity } from './registration/find-client.js';
export type { ClientKey } from './registration/client-auth.js';
/** How a person signs in. */
export { loopback, type LoopbackOptions } from './surface/loopback.js';
export type { LoopbackHost } from './surface/redirect-address.js';
export { pasteBack, type PasteBackOptions, type PasteBackQuestion } from './surface/paste-back.js';
export { deviceCode } from './surface/device.js';
export {
  interactionForEnvironment,
  placeOf,
  type EnvironmentOptions,
  type Place,
} from './surface/environment.js';
export { openBrowser, type OpenBrowserOptions } from './surface/open-browser.js';
export type {
  DeviceInteraction,
  DevicePrompt,
  Interaction,
  InteractionOptions,
  InteractionSession,
  SignInSurface,
  SurfaceChooser,
} from './flow/interaction.js';
/** Without a person. */
export {
  createClientCredentialsProvider,
  type ClientCredentialsOptions,
} from './machine/client-credentials.js';
export { createWorkloadProvider, type WorkloadOptions } from './machine/workload.js';
export { createBearerProvider, type BearerOptions } from './machine/bearer.js';
export { createHeadersCommandProvider, type HeadersCommandOptions } from './machine/headers-command.js';
/** In transports that are not ours. */
export {
  authorizedFetch,
  type AuthorizedFetchOptions,
  type FetchFunction,
} from './adapters/authorized-fetch.js';
export {
  toSdkAuthProvider,
  type SdkAuthProvider,
  type SdkAuthProviderOptions,
} from './adapters/sdk-auth-provider.js';
