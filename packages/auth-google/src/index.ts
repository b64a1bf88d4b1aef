/** For hosts: Google credentials as a plugin, or as one provider. */
export { google, type GooglePluginOptions } from './plugin.js';
export { createGoogleProvider } from './google-provider.js';
export type { GoogleEndpoints, GoogleProviderOptions } from './options.js';
