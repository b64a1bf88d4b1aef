/** Google credentials for MCP servers: as an auth plugin of a host, or as one provider. */
export { google, type GooglePluginOptions } from './plugin.js';
export { createGoogleProvider } from './google-provider.js';
export type { GoogleEndpoints, GoogleProviderOptions } from './options.js';
