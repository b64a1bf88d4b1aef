import type { AuthChallenge } from './auth-challenge.js';
import { ERROR_CODES, type ErrorCode, type ErrorKind } from './codes.js';

/**
 * Two copies of core can be installed side by side, so errors are recognized by the names of their classes under this symbol, not
 * by the identity of a class.
 */
const CLASS_NAME: unique symbol = Symbol.for('mcp-fittings.error');

/**
 * Progress of a failed request. `not-sent`: the peer never saw it. `rejected`: the peer refused it before executing anything. `unknown`:
 * the peer may have executed it.
 */
export type Delivery = 'not-sent' | 'rejected' | 'unknown';

/** Values that a program may act on, such as an HTTP status, an exit code or a command. Contains no secret. */
export interface ErrorDetails {
  /** A value by its name; the README of each package lists them. */
  readonly [fact: string]: string | number | boolean | undefined;
}

/** Options of {@link FittingsError}. */
export interface FittingsErrorOptions {
  /** The error that led to this one. Default none. */
  readonly cause?: unknown;
  /** Tells what the user can do about it. Default none. */
  readonly hint?: string | undefined;
  /** Name of the server that the error is about. Default none. */
  readonly server?: string | undefined;
  /** Progress of a failed request. Default: not a failed request. */
  readonly delivery?: Delivery | undefined;
  /** Tells who has to act, if this occurrence differs from its code in general. Default: that of the code. */
  readonly kind?: ErrorKind | undefined;
  /** True if a retry may succeed, if this occurrence differs from its code in general. Default: that of the code. */
  readonly retryable?: boolean | undefined;
  /** Values that a program may act on. Default none. */
  readonly details?: ErrorDetails | undefined;
}

/**
 * The base class of all errors that these packages throw deliberately. Act on `code`; `message` is for people and may change.
 * `instanceof` works across several installed copies of this package.
 *
 * @example
 * ```ts
 * try {
 *   await host.callTool({ server: 'notes', tool: 'search' });
 * } catch (error) {
 *   if (!(error instanceof FittingsError)) throw error;
 *   console.error(error.code, error.message, error.hint);
 * }
 * ```
 */
export class FittingsError extends Error {
  /** Name of the class, by which other copies of this package recognize the error. */
  static readonly [CLASS_NAME]: string = 'FittingsError';
  /** Name of the class. */
  override readonly name: string = 'FittingsError';
  /** Identifies the failure; stable across versions. */
  readonly code: ErrorCode;
  /** Tells who has to act on it. */
  readonly kind: ErrorKind;
  /** True if the same attempt may succeed later with nothing changed. For a request, see {@link delivery} too. */
  readonly retryable: boolean;
  /** Tells what the user can do about it. */
  readonly hint: string | undefined;
  /** Name of the server that the error is about. */
  readonly server: string | undefined;
  /** Progress of a failed request; undefined for any other error. */
  readonly delivery: Delivery | undefined;
  /** Values that a program may act on. */
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: FittingsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = options.kind ?? ERROR_CODES[code].kind;
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
    this.hint = options.hint;
    this.server = options.server;
    this.delivery = options.delivery;
    this.details = options.details ?? {};
  }

  /** Recognizes errors of other installed copies of this package too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A derived class must not accept every error of its base class.
    return Object.hasOwn(this, CLASS_NAME)
      ? isOfClass(value, this[CLASS_NAME])
      : Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

/** An error of a transport. `details` may contain `status`, `exitCode`, `signal`, `command`, `stderr` and `url`. */
export class TransportError extends FittingsError {
  /** Name of the class, by which other copies of this package recognize the error. */
  static override readonly [CLASS_NAME]: string = 'TransportError';
  /** Name of the class. */
  override readonly name: string = 'TransportError';
}

/** Options of {@link AuthRequiredError}. */
export interface AuthRequiredErrorOptions extends FittingsErrorOptions {
  /** Refusal of the server. Default none. */
  readonly challenge?: AuthChallenge | undefined;
}

/** A person has to sign in; nothing interactive has happened yet. Pass `challenge` to `AuthProvider.signIn()`. */
export class AuthRequiredError extends FittingsError {
  /** Name of the class, by which other copies of this package recognize the error. */
  static override readonly [CLASS_NAME]: string = 'AuthRequiredError';
  /** Name of the class. */
  override readonly name: string = 'AuthRequiredError';
  /** Refusal of the server. Not enumerable, because it contains the refused credentials. */
  readonly challenge: AuthChallenge | undefined;

  constructor(message: string, options: AuthRequiredErrorOptions = {}) {
    super('AUTH_REQUIRED', message, options);
    // Not enumerable: it contains the refused Authorization value, which must not appear in a log.
    Object.defineProperty(this, 'challenge', { value: options.challenge, enumerable: false });
  }
}

function isOfClass(value: unknown, name: string): boolean {
  let type: unknown = typeof value === 'object' && value !== null ? value.constructor : undefined;
  for (; typeof type === 'function'; type = Object.getPrototypeOf(type))
    if (Object.hasOwn(type, CLASS_NAME) && Reflect.get(type, CLASS_NAME) === name) return true;
  return false;
}
