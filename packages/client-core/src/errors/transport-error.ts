import { ERROR_BRAND, isErrorOf } from './brand.js';
import { FittingsError } from './fittings-error.js';

/** What went wrong on a wire. `details` may hold `status`, `exitCode`, `signal`, `command`, `stderr`, `url`. */
export class TransportError extends FittingsError {
  override readonly name: string = 'TransportError';

  override get [ERROR_BRAND](): readonly string[] {
    return ['FittingsError', 'TransportError'];
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, TransportError, 'TransportError', value);
  }
}
