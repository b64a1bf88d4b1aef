import type { AuthChallenge } from '../contracts/auth-provider.js';
import { ERROR_BRAND, isErrorOf } from './brand.js';
import { FittingsError, type FittingsErrorOptions } from './fittings-error.js';

export interface AuthRequiredErrorOptions extends FittingsErrorOptions {
  readonly challenge?: AuthChallenge | undefined;
}

/** A person has to sign in; nothing interactive has happened yet. Pass `challenge` on to `signIn`. */
export class AuthRequiredError extends FittingsError {
  override readonly name: string = 'AuthRequiredError';
  readonly challenge: AuthChallenge | undefined;

  constructor(message: string, options: AuthRequiredErrorOptions = {}) {
    super('AUTH_REQUIRED', message, options);
    // Not enumerable: it holds the refused Authorization value, which must not reach an inspection or a log.
    Object.defineProperty(this, 'challenge', { value: options.challenge, enumerable: false });
  }

  override get [ERROR_BRAND](): readonly string[] {
    return ['FittingsError', 'AuthRequiredError'];
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, AuthRequiredError, 'AuthRequiredError', value);
  }
}
