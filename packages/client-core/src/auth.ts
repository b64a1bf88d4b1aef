/** For authors of a sign-in scheme or a token store: the contracts and the error that asks for a person. */
export type {
  AuthChallenge,
  AuthProvider,
  ParsedChallenge,
  SignInOptions,
} from './contracts/auth-provider.js';
export type { AuthDeps, AuthPlugin } from './contracts/auth-plugin.js';
export type { StoredValue, TokenStore } from './contracts/token-store.js';
export { AuthRequiredError, type AuthRequiredErrorOptions } from './errors/auth-required-error.js';
export { FittingsError, type FittingsErrorOptions } from './errors/fittings-error.js';
