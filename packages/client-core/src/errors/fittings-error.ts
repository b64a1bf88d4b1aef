import type { AuthChallenge } from '../contracts/auth-provider.js';
import { ERROR_CODES, type ErrorCode, type ErrorKind } from './codes.js';

/**
 * Two copies of core can be installed side by side, so errors are recognised by the names under this symbol and
 * never by the identity of a class.
 */
const ERROR_BRAND: unique symbol = Symbol.for('mcp-fittings.error');

/**
 * How far a failed request got. `not-sent`: the peer never saw it. `rejected`: the peer refused it before doing
 * anything. `unknown`: it may have been carried out.
 */
export type Delivery = 'not-sent' | 'rejected' | 'unknown';

/** Facts that a program may act on: HTTP status, exit code, command …; never a secret. */
export interface ErrorDetails {
  readonly [fact: string]: string | number | boolean | undefined;
}

export interface FittingsErrorOptions {
  readonly cause?: unknown;
  /** What the reader can do about it, as one sentence. */
  readonly hint?: string | undefined;
  /** Name of the server that it is about. */
  readonly server?: string | undefined;
  /** For a failed request only. */
  readonly delivery?: Delivery | undefined;
  /** Where this occurrence differs from what its code says in general. */
  readonly kind?: ErrorKind | undefined;
  readonly retryable?: boolean | undefined;
  readonly details?: ErrorDetails | undefined;
}

/**
 * Every error that these packages throw on purpose. Act on `code`; `message` is for people and may change.
 * `instanceof` works across several installed copies of core.
 */
export class FittingsError extends Error {
  override readonly name: string = 'FittingsError';
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  /** Whether the same attempt may succeed later with nothing changed. */
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly server: string | undefined;
  readonly delivery: Delivery | undefined;
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

  get [ERROR_BRAND](): readonly string[] {
    return ['FittingsError'];
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, FittingsError, 'FittingsError', value);
  }
}

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

/**
 * Whether a connection failed as it only fails where the endpoint speaks an older transport, so that a fallback is worth
 * trying. No credentials, no network and a broken server are not cured by an older protocol.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export function isOlderEndpoint(error: unknown): error is FittingsError {
  return error instanceof FittingsError && error.code === 'ENDPOINT_INCOMPATIBLE';
}

type ErrorClass = abstract new (...args: never) => Error;

/**
 * `value instanceof asked`, where `own` is our class of that name. A class that somebody derives from ours inherits
 * the check and asks as itself: it must not take every error of its base for its own.
 */
function isErrorOf(asked: ErrorClass, own: ErrorClass, name: string, value: unknown): boolean {
  return asked === own
    ? hasErrorBrand(value, name)
    : Function.prototype[Symbol.hasInstance].call(asked, value);
}

function hasErrorBrand(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null || !(ERROR_BRAND in value)) return false;
  const names: unknown = value[ERROR_BRAND];
  return Array.isArray(names) && names.includes(name);
}
