/**
 * OAuth 2.1 sign-in with the `fetch` of the platform: for browsers and Workers. Imports no module of Node.js. Discovery, registration, PKCE,
 * refresh and errors are those of the main entry point; proxies, certificates and the addresses of names are the platform's.
 *
 * @packageDocumentation
 */
export { createOAuthProvider, type FetchProviderOptions } from './fetch/create-oauth-provider.js';
export { createBearerProvider } from './non-interactive/bearer-token.js';
export type { WebSignIn } from './provider/web-sign-in.js';
